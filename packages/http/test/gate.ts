/** Something that waits until it is let on, and tells when it has come so far. */
export class Gate {
  readonly #reached = Promise.withResolvers<void>();
  readonly #opened = Promise.withResolvers<void>();

  get reached(): Promise<void> {
    return this.#reached.promise;
  }

  open(): void {
    this.#opened.resolve();
  }

  async pass(): Promise<void> {
    this.#reached.resolve();
    await this.#opened.promise;
  }
}
