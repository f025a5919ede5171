import { compareUtf8 } from "../util/compare-utf8.ts";
import type { Json } from "./json.ts";
import { SortedKeys } from "./sorted-keys.ts";
import type { ListOptions, StorageEntry } from "./storage-driver.ts";

/**
 * Records of one namespace of storage (one kind of record, such as `turns`, of all tenants) in memory, found by key and
 * listed in the order of keys.
 */
export class SortedRecords {
  readonly #values = new Map<string, Json>();
  readonly #keys = new SortedKeys();

  get(key: string): Json | null {
    return this.#values.get(key) ?? null;
  }

  /** Stores the value; `null` removes the key. */
  set(key: string, value: Json | null): void {
    if (value === null) {
      if (this.#values.delete(key)) this.#keys.remove(key);
      return;
    }
    if (!this.#values.has(key)) this.#keys.add(key);
    this.#values.set(key, value);
  }

  /** @yields the records below a prefix, without walking over others */
  *list(prefix: string, { limit = Infinity, reverse = false, after }: ListOptions = {}): Generator<StorageEntry, void> {
    let left = limit;
    for (const key of reverse ? this.#keysDown(prefix, after) : this.#keysUp(prefix, after)) {
      if (left === 0 || !key.startsWith(prefix)) return;
      left -= 1;
      yield { key, value: this.get(key) };
    }
  }

  #keysUp(prefix: string, after: string | undefined): Iterable<string> {
    return this.#keys.after(
      (key) => compareUtf8(key, prefix) < 0 || (after !== undefined && compareUtf8(key, after) <= 0),
    );
  }

  #keysDown(prefix: string, after: string | undefined): Iterable<string> {
    return this.#keys.before(
      (key) =>
        (compareUtf8(key, prefix) < 0 || key.startsWith(prefix)) &&
        (after === undefined || compareUtf8(key, after) < 0),
    );
  }
}
