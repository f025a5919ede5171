import { LruCache } from "../../base/util/lru-cache.ts";

/** The number of keys whose values are kept: a client of a vendor's library costs some kilobytes. */
const maxEntries = 100;

/** LRU cache of one value per API key, like a vendor's client. It holds hashes of the keys and never the keys. */
export class KeyedCache<Value> {
  readonly #create: (key: string | undefined) => Value;
  readonly #values = new LruCache<string, Value>({ maxEntries });
  /** The value asked for last. As a rule the same key comes again, and hashing it costs more than all else here. */
  #last: { key: string | undefined; value: Value } | undefined;

  constructor(create: (key: string | undefined) => Value) {
    this.#create = create;
  }

  get size(): number {
    return this.#values.size;
  }

  /** Returns the value of the key, and creates it when the key is new. Callers without a key share one. */
  get(key: string | undefined): Value {
    if (this.#last !== undefined && this.#last.key === key) return this.#last.value;
    const value = this.#find(key);
    this.#last = { key, value };
    return value;
  }

  #find(key: string | undefined): Value {
    // Not imported: that would cost every program that imports core several milliseconds.
    const id = key === undefined ? "" : process.getBuiltinModule("node:crypto").hash("sha256", key);
    const known = this.#values.get(id);
    if (known !== undefined) return known;
    const value = this.#create(key);
    this.#values.set(id, value);
    return value;
  }
}
