/** The maximum number of remembered runs. For other runs the next pause is the first pause again. */
const mostRuns = 1000;

/** Growing pauses of runs, each slightly randomised, so that runs that stopped together do not resume together. */
export class RetryPauses {
  readonly #pausesMs: readonly number[];
  readonly #counts = new Map<string, number>();

  /** @param pausesMs the pauses of a run in milliseconds; the last is repeated */
  constructor(pausesMs: readonly number[]) {
    this.#pausesMs = pausesMs;
  }

  /** Returns the next pause of a run, in milliseconds. */
  next(runId: string): number {
    const count = this.#counts.get(runId) ?? 0;
    this.forget(runId);
    this.#counts.set(runId, count + 1);
    for (const oldest of this.#counts.keys()) {
      if (this.#counts.size <= mostRuns) break;
      this.#counts.delete(oldest);
    }
    const pauseMs = this.#pausesMs[Math.min(count, this.#pausesMs.length - 1)] ?? 0;
    return Math.round(pauseMs * (0.8 + Math.random() * 0.4));
  }

  /** Resets the run to its first pause. */
  forget(runId: string): void {
    this.#counts.delete(runId);
  }
}
