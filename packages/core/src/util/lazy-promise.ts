/** A promise whose work starts when somebody first waits for it, and not before. Its rejection is never unhandled. */
export class LazyPromise<Result> extends Promise<Result> {
  #start: (() => void) | undefined;

  /** What derives from it is a plain promise: the work starts once. */
  static override get [Symbol.species](): PromiseConstructor {
    return Promise;
  }

  /** A promise that settles as the other does, and calls `start` when it is first waited for. */
  static of<Result>(promise: Promise<Result>, start: () => void): LazyPromise<Result> {
    const lazy = new LazyPromise<Result>((resolve, reject) => void promise.then(resolve, reject));
    // Before there is anything to start: this handles the rejection without waiting for the work.
    lazy.catch(() => undefined);
    lazy.#start = start;
    return lazy;
  }

  // oxlint-disable-next-line unicorn/no-thenable -- a promise whose waiting is noticed is what this is
  override then<One = Result, Other = never>(
    onFulfilled?: ((value: Result) => One | PromiseLike<One>) | null,
    onRejected?: ((reason: unknown) => Other | PromiseLike<Other>) | null,
  ): Promise<One | Other> {
    const start = this.#start;
    this.#start = undefined;
    start?.();
    return super.then(onFulfilled, onRejected);
  }
}
