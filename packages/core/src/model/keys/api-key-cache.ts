import { LruCache } from "../../base/util/lru-cache.ts";

/** The maximum number of keys whose values are cached: a client of a vendor's library costs some kilobytes. */
const maxEntries = 100;

/**
 * LRU cache of one value for each API key, such as a vendor's client. It stores hashes of the keys; only the last
 * requested key is stored itself.
 */
export class ApiKeyCache<Value> {
  readonly #create: (key: string | undefined) => Value;
  /** The cache. Created with its first value, because many models are made that are never called. */
  #values: LruCache<string, Value> | undefined;
  /**
   * The last requested value. Usually the same key is requested again, and hashing is the most expensive part of a
   * lookup.
   */
  #last: { key: string | undefined; value: Value } | undefined;

  constructor(create: (key: string | undefined) => Value) {
    this.#create = create;
  }

  get size(): number {
    return this.#values?.size ?? 0;
  }

  /** Returns the cached value of an API key, or creates it. Callers without a key share one value. */
  get(key: string | undefined): Value {
    if (this.#last !== undefined && this.#last.key === key) return this.#last.value;
    const value = this.#find(key);
    this.#last = { key, value };
    return value;
  }

  #find(key: string | undefined): Value {
    // `node:crypto` is not imported statically: the import would slow the start of every program that imports core.
    const id = key === undefined ? "" : process.getBuiltinModule("node:crypto").hash("sha256", key);
    const values = (this.#values ??= new LruCache({ maxEntries }));
    const known = values.get(id);
    if (known !== undefined) return known;
    const value = this.#create(key);
    values.set(id, value);
    return value;
  }
}
