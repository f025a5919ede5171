import { TroupeError } from "../errors/troupe-error.ts";
import { equalJson } from "../util/equal-json.ts";
import { toJson } from "./check-json.ts";
import { checkKey, checkListOptions, checkPrefix } from "./check-key.ts";
import { checkLease } from "./check-lease.ts";
import { decodeSequence, encodeSequence } from "./encode-key.ts";
import type { Json } from "./json.ts";
import type { RequiredLease } from "./record-database.ts";
import { SortedRecords } from "./sorted-records.ts";
import type { AppendOptions, ListOptions, StorageDriver, StorageEntry, Write } from "./storage-driver.ts";

/**
 * Unbounded storage in the memory of the process. Each call does its work before it returns its promise, so every call is
 * atomic.
 *
 * Values are copied on their way in and out by `toJson`, which checks them at once and is faster than `structuredClone`.
 */
export class InMemoryStorage implements StorageDriver {
  readonly #namespaces = new Map<string, SortedRecords>();
  #closed = false;

  async get(namespace: string, key: string): Promise<Json | null> {
    this.#check(namespace, key);
    return toJson(this.read(namespace, key));
  }

  async set(namespace: string, key: string, value: Json): Promise<void> {
    this.#check(namespace, key);
    this.write(namespace, key, toJson(value));
  }

  async delete(namespace: string, key: string): Promise<void> {
    this.#check(namespace, key);
    this.write(namespace, key, null);
  }

  async list(namespace: string, prefix = "", options: ListOptions = {}): Promise<StorageEntry[]> {
    this.#checkOpen();
    checkPrefix(namespace, prefix);
    checkListOptions(options);
    return Array.from(this.select(namespace, prefix, options), ({ key, value }) => ({ key, value: toJson(value) }));
  }

  // oxlint-disable-next-line max-params -- the contract's shape
  async append(
    namespace: string,
    keyPrefix: string,
    value: Json,
    { ifHeld }: AppendOptions = {},
  ): Promise<{ key: string; seq: number }> {
    this.#checkOpen();
    checkPrefix(namespace, keyPrefix);
    const copy = toAppend(value);
    if (ifHeld !== undefined) this.#checkHeld(ifHeld);
    const seq = this.#lastSequence(namespace, keyPrefix) + 1;
    const key = keyPrefix + encodeSequence(seq);
    checkKey(namespace, key);
    this.write(namespace, key, copy);
    return { key, seq };
  }

  // oxlint-disable-next-line max-params -- the contract's shape
  async compareAndSet(namespace: string, key: string, expected: Json | null, next: Json | null): Promise<boolean> {
    this.#check(namespace, key);
    const [wanted, copy] = [toJson(expected), toJson(next)];
    if (!equalJson(this.read(namespace, key), wanted)) return false;
    this.write(namespace, key, copy);
    return true;
  }

  async ping(): Promise<void> {
    this.#checkOpen();
  }

  async transaction(writes: readonly Write[]): Promise<void> {
    this.#checkOpen();
    const copies = writes.map(({ namespace, key, value }) => {
      checkKey(namespace, key);
      return { namespace, key, value: toJson(value) };
    });
    for (const { namespace, key, value } of copies) this.write(namespace, key, value);
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#namespaces.clear();
  }

  /** Reads one record. All reads of single records come through here. */
  protected read(namespace: string, key: string): Json | null {
    return this.#namespaces.get(namespace)?.get(key) ?? null;
  }

  /** Reads records below a prefix. All listings come through here. */
  protected select(namespace: string, prefix: string, options?: ListOptions): Iterable<StorageEntry> {
    return this.#namespaces.get(namespace)?.list(prefix, options) ?? [];
  }

  /** Writes one record; `null` removes it. All writes come through here. */
  protected write(namespace: string, key: string, value: Json | null): void {
    const records = this.#namespaces.get(namespace) ?? new SortedRecords();
    this.#namespaces.set(namespace, records);
    records.set(key, value);
  }

  #lastSequence(namespace: string, keyPrefix: string): number {
    // The colon follows the digits in ASCII: keys after it are no sequence numbers.
    const options = { reverse: true, after: `${keyPrefix}:` };
    for (const { key } of this.select(namespace, keyPrefix, options)) {
      const sequence = decodeSequence(key.slice(keyPrefix.length));
      if (sequence !== undefined) return sequence;
    }
    return 0;
  }

  #checkHeld(lease: RequiredLease): void {
    checkKey("locks", lease.key);
    checkLease(this.read("locks", lease.key), lease);
  }

  #check(namespace: string, key: string): void {
    this.#checkOpen();
    checkKey(namespace, key);
  }

  #checkOpen(): void {
    if (this.#closed) throw new TroupeError("storage_unavailable", "The in-memory storage was closed.");
  }
}

function toAppend(value: Json): Json {
  const copy = toJson(value);
  if (copy !== null) return copy;
  throw new TroupeError("invalid_value", "null cannot be appended: it stands for an absent record.");
}
