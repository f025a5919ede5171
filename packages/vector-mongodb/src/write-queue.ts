/**
 * Runs the changes of this process to one collection one after the other: at once, all but one of them would find the
 * catalog changed, and have to be repeated.
 */
export class WriteQueue {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Runs the work when all earlier work under this name has ended, however it ended. */
  async run<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
    const before = this.#last.get(name);
    const own = before === undefined ? work() : before.then(work, work);
    this.#last.set(name, own);
    try {
      return await own;
    } finally {
      if (this.#last.get(name) === own) this.#last.delete(name);
    }
  }
}
