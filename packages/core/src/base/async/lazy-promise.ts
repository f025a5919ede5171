/**
 * A promise that starts its work on the first `then` or `await`, such as the output of a run. A rejection is never
 * reported as unhandled.
 */
export class LazyPromise<Result> extends Promise<Result> {
  #start: (() => void) | undefined;

  /**
   * Makes `then` and `catch` of a lazy promise return plain promises, because the promises that they return have no
   * work to start.
   */
  static override get [Symbol.species](): PromiseConstructor {
    return Promise;
  }

  /** Makes a promise that settles like the given promise, and calls `start` on the first `then`. */
  static of<Result>(promise: Promise<Result>, start: () => void): LazyPromise<Result> {
    const lazy = new LazyPromise<Result>((resolve, reject) => void promise.then(resolve, reject));
    // The rejection handler is attached before `#start` is set. Otherwise attaching it would start the work.
    lazy.catch(() => undefined);
    lazy.#start = start;
    return lazy;
  }

  // oxlint-disable-next-line unicorn/no-thenable -- the first call of `then` starts the work
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
