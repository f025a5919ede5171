/** The journal steps to which chunks of a run's stream belong. */
export class ChunkSteps {
  readonly #steps = new WeakMap<object, string>();

  tag(chunk: object, step: string): void {
    this.#steps.set(chunk, step);
  }

  /** Records that a chunk made from another chunk belongs to the same step. */
  tagLike(copy: object, chunk: object): void {
    const step = this.#steps.get(chunk);
    if (step !== undefined) this.#steps.set(copy, step);
  }

  /** Returns the step of a chunk; an empty string for a chunk of the run itself. */
  stepOf(chunk: object): string {
    return this.#steps.get(chunk) ?? "";
  }
}
