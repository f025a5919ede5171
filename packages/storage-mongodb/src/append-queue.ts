import { TroupeError } from "@troupe/core";
import { withTimeout } from "@troupe/core/kit";

/**
 * Runs this process's appends to one key prefix one after the other. If they ran at the same time, all but one would
 * try a number that is already taken, and be repeated.
 */
export class AppendQueue {
  readonly #last = new Map<string, Promise<void>>();
  readonly #timeoutMs: number;

  /** `timeoutMs`: milliseconds that an append waits for earlier appends. */
  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs;
  }

  /** Number of names (key prefixes) with active or waiting appends. */
  get busyNames(): number {
    return this.#last.size;
  }

  /**
   * Runs an append (`work`) after all earlier appends under the same name, a key prefix, have ended. Rejects with
   * `storage_unavailable` if that takes longer than the timeout.
   */
  async run<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
    const before = this.#last.get(name) ?? Promise.resolve();
    const own = Promise.withResolvers<void>();
    const end = before.then(() => own.promise);
    this.#last.set(name, end);
    void end.then(() => this.#last.get(name) === end && this.#last.delete(name));
    try {
      await withTimeout(before, { timeoutMs: this.#timeoutMs, onTimeout: () => this.#failLate() });
      return await work();
    } finally {
      own.resolve();
    }
  }

  #failLate(): never {
    const sentence = `Earlier appends took longer than ${this.#timeoutMs} ms. Raise timeoutMs to wait longer.`;
    throw new TroupeError("storage_unavailable", sentence);
  }
}
