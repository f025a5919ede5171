import { TroupeError } from "@troupe/core";
import { withTimeout } from "@troupe/core/adapter";

/** Lets calls of this process that would only get in each other's way go one after the other, for each name by itself. */
export class LinePerName {
  readonly #ends = new Map<string, Promise<void>>();
  readonly #timeoutMs: number;

  /** Nobody waits longer than this: when the first hangs, the others are told. */
  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs;
  }

  /** Does the work when all who came before have done theirs. */
  async wait<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
    const before = this.#ends.get(name) ?? Promise.resolve();
    const mine = Promise.withResolvers<void>();
    const end = before.then(() => mine.promise);
    this.#ends.set(name, end);
    void end.then(() => this.#ends.get(name) === end && this.#ends.delete(name));
    try {
      await withTimeout(before, { timeoutMs: this.#timeoutMs, onTimeout: () => this.#failLate() });
      return await work();
    } finally {
      mine.resolve();
    }
  }

  #failLate(): never {
    const sentence = `Appends that came before took longer than ${this.#timeoutMs} ms.`;
    throw new TroupeError("storage_unavailable", sentence);
  }
}
