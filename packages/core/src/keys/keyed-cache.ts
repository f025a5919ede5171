/** A client of a vendor's library costs some kilobytes. Where there are more keys than this, they take turns. */
const mostEntries = 100;

/**
 * One thing for each API key; beyond a hundred, the one that nobody asked for longest goes. A key is known here by its
 * hash, since what is dumped of a map are its keys.
 */
export class KeyedCache<Value> {
  readonly #create: (key: string | undefined) => Value;
  readonly #values = new Map<string, Value>();
  /** As a rule the same key comes again and again, and hashing it costs more than all else here. */
  #last: { key: string | undefined; value: Value } | undefined;

  constructor(create: (key: string | undefined) => Value) {
    this.#create = create;
  }

  /** How many are kept. */
  get size(): number {
    return this.#values.size;
  }

  /** What belongs to the key, made when it is new; all who have no key share one. */
  get(key: string | undefined): Value {
    if (this.#last !== undefined && this.#last.key === key) return this.#last.value;
    const value = this.#find(key);
    this.#last = { key, value };
    return value;
  }

  #find(key: string | undefined): Value {
    // Not imported: that would cost every program that imports core several milliseconds.
    const id = key === undefined ? "" : process.getBuiltinModule("node:crypto").hash("sha256", key);
    const value = this.#values.get(id) ?? this.#create(key);
    // Put at the end again: the first in the map is the one that was unused for longest.
    this.#values.delete(id);
    this.#values.set(id, value);
    const [oldest] = this.#values.keys();
    if (this.#values.size > mostEntries && oldest !== undefined) this.#values.delete(oldest);
    return value;
  }
}
