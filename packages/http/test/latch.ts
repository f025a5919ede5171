/** A latch: holds back whatever waits for it until it is opened, and tells when it has been reached. */
export class Latch {
  readonly #reached = Promise.withResolvers<void>();
  readonly #opened = Promise.withResolvers<void>();

  get reached(): Promise<void> {
    return this.#reached.promise;
  }

  open(): void {
    this.#opened.resolve();
  }

  async wait(): Promise<void> {
    this.#reached.resolve();
    await this.#opened.promise;
  }
}
