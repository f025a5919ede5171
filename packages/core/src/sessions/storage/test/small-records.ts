import { TroupeError } from "../../../base/errors/troupe-error.ts";
import { InMemoryStorage } from "../in-memory-storage.ts";
import type { Json } from "../json.ts";

/** A storage whose records may not be long, as those of a database. */
export class SmallRecords extends InMemoryStorage {
  /** Number of calls of `compareAndSet`. */
  tries = 0;
  readonly #mostChars: number;

  constructor(mostChars: number) {
    super();
    this.#mostChars = mostChars;
  }

  // oxlint-disable-next-line max-params -- the contract's shape
  override async compareAndSet(namespace: string, key: string, expected: Json | null, next: Json | null) {
    this.tries += 1;
    this.#check(next);
    return await super.compareAndSet(namespace, key, expected, next);
  }

  override async insertAll(writes: readonly { namespace: string; key: string; value: Json }[]) {
    for (const { value } of writes) this.#check(value);
    return await super.insertAll(writes);
  }

  #check(value: Json | null): void {
    if (JSON.stringify(value).length > this.#mostChars)
      throw new TroupeError("invalid_value", "The record is too large.");
  }
}
