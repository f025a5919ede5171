/**
 * Runs this process's changes to one collection one after the other. If they ran at the same time, all but one would
 * find the catalog changed, and be repeated.
 */
export class WriteQueue {
  readonly #last = new Map<string, Promise<unknown>>();

  /**
   * Runs a change (`work`) after all earlier changes under the same name, a collection's path, have ended, successful
   * or not.
   */
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
