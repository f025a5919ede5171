import { TroupeError } from "@troupe/core";
import { within } from "./within.ts";

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
      await within(this.#timeoutMs, before, () => this.#tooLate());
      return await work();
    } finally {
      mine.resolve();
    }
  }

  #tooLate(): TroupeError {
    const sentence = `Appends that came before took longer than ${this.#timeoutMs} ms.`;
    return new TroupeError("storage_unavailable", sentence);
  }
}
