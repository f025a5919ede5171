/** Work that goes on in the background, until it is waited for. */
export class PendingWork {
  readonly #pending = new Set<Promise<void>>();

  /** How much there is. */
  get size(): number {
    return this.#pending.size;
  }

  /** Keeps the work until it has settled. Whoever started it sees to its failure. */
  track(work: Promise<unknown>): void {
    const end = () => void this.#pending.delete(settled);
    const settled: Promise<void> = work.then(end, end);
    this.#pending.add(settled);
  }

  /** Waits for all work, also for what is added meanwhile. Never rejects. */
  async flush(): Promise<void> {
    while (this.#pending.size > 0) await Promise.all(this.#pending);
  }
}
