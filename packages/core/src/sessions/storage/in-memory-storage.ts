import { TroupeError } from "../../base/errors/troupe-error.ts";
import { equalJson } from "../../base/util/equal-json.ts";
import { toJsonText } from "./check-json.ts";
import { checkRecordKey, checkListing, checkListOptions, checkPrefix } from "./check-key.ts";
import { checkLeaseRecord } from "./check-lease.ts";
import { decodeSequence, encodeSequence } from "./encode-key.ts";
import type { Json } from "./json.ts";
import type { RequiredLease } from "./record-database.ts";
import { RecordFolder } from "./record-folder.ts";
import type { FolderRecord } from "./record-folder.ts";
import type { AppendOptions, Listing, ListOptions, StorageDriver, StorageEntry, Write } from "./storage-driver.ts";
import { WatchedNamespaces } from "./watched-namespaces.ts";

/**
 * Unbounded storage in the memory of the process. Each call does its work before it returns its promise, so every call
 * is atomic. Values are stored as JSON.
 */
export class InMemoryStorage implements StorageDriver {
  readonly #namespaces = new Map<string, RecordFolder>();
  readonly #watched = new WatchedNamespaces();
  #closed = false;

  async get(namespace: string, key: string): Promise<Json | null> {
    this.#check(namespace, key);
    return fromText(this.read(namespace, key));
  }

  async set(namespace: string, key: string, value: Json): Promise<void> {
    this.#check(namespace, key);
    this.write(namespace, key, toJsonText(value));
  }

  async delete(namespace: string, key: string): Promise<void> {
    this.#check(namespace, key);
    this.write(namespace, key, undefined);
  }

  async list(namespace: string, prefix = "", options: ListOptions = {}): Promise<StorageEntry[]> {
    this.#checkOpen();
    checkPrefix(namespace, prefix);
    checkListOptions(options);
    return this.#list(namespace, prefix, options);
  }

  async listMany(listings: readonly Listing[]): Promise<StorageEntry[][]> {
    this.#checkOpen();
    for (const listing of listings) checkListing(listing);
    return listings.map(({ namespace, prefix, ...options }) => this.#list(namespace, prefix, options));
  }

  // oxlint-disable-next-line max-params -- `StorageDriver` names these parameters
  async append(
    namespace: string,
    keyPrefix: string,
    value: Json,
    { ifHeld }: AppendOptions = {},
  ): Promise<{ key: string; seq: number }> {
    this.#checkOpen();
    checkPrefix(namespace, keyPrefix);
    const text = toJsonText(value);
    if (text === undefined) throw nullRefused("appended");
    if (ifHeld !== undefined) this.#checkHeld(ifHeld);
    const seq = this.#lastSequence(namespace, keyPrefix) + 1;
    const key = keyPrefix + encodeSequence(seq);
    checkRecordKey(namespace, key);
    this.write(namespace, key, text);
    return { key, seq };
  }

  // oxlint-disable-next-line max-params -- `StorageDriver` names these parameters
  async compareAndSet(namespace: string, key: string, expected: Json | null, next: Json | null): Promise<boolean> {
    this.#check(namespace, key);
    const [wanted, text] = [toJsonText(expected), toJsonText(next)];
    const stored = this.read(namespace, key);
    // The stored and the expected JSON text are nearly always equal; otherwise the order of members may differ.
    if (stored !== wanted && !equalJson(fromText(stored), fromText(wanted))) return false;
    this.write(namespace, key, text);
    return true;
  }

  async insertAll(writes: readonly { namespace: string; key: string; value: Json }[]): Promise<boolean[]> {
    this.#checkOpen();
    const checked = writes.map(({ namespace, key, value }) => {
      checkRecordKey(namespace, key);
      const text = toJsonText(value);
      if (text === undefined) throw nullRefused("inserted");
      return { namespace, key, text };
    });
    return checked.map(({ namespace, key, text }) => {
      const isFree = this.read(namespace, key) === undefined;
      if (isFree) this.write(namespace, key, text);
      return isFree;
    });
  }

  async ping(): Promise<void> {
    this.#checkOpen();
  }

  async transaction(writes: readonly Write[]): Promise<void> {
    this.#checkOpen();
    const checked = writes.map(({ namespace, key, value }) => {
      checkRecordKey(namespace, key);
      return { namespace, key, text: toJsonText(value) };
    });
    for (const { namespace, key, text } of checked) this.write(namespace, key, text);
  }

  watch(namespace: string, listener: () => void): () => void {
    this.#checkOpen();
    checkPrefix(namespace, "");
    return this.#watched.add(namespace, listener);
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#watched.clear();
    this.#namespaces.clear();
  }

  /** Reads the JSON of one record. All reads of single records use this method. */
  protected read(namespace: string, key: string): string | undefined {
    return this.#namespaces.get(namespace)?.get(key);
  }

  /** Reads records below a prefix. All listings use this method. */
  protected select(namespace: string, prefix: string, options?: ListOptions): Iterable<FolderRecord> {
    return this.#namespaces.get(namespace)?.list(prefix, options) ?? [];
  }

  /** Writes the JSON of one record; `undefined` removes it. All writes of single records use this method. */
  protected write(namespace: string, key: string, text: string | undefined): void {
    const records = this.#namespaces.get(namespace);
    if (text === undefined) records?.delete(key);
    else (records ?? this.#addNamespace(namespace)).set(key, text);
    this.#watched.change(namespace);
  }

  /** Removes all records below a prefix that ends with `/`, in one step. */
  protected removeBelow(namespace: string, prefix: string): void {
    this.#namespaces.get(namespace)?.deleteAll(prefix);
    this.#watched.change(namespace);
  }

  #list(namespace: string, prefix: string, options: ListOptions): StorageEntry[] {
    return Array.from(this.select(namespace, prefix, options), ({ key, text }) => ({ key, value: fromText(text) }));
  }

  #addNamespace(namespace: string): RecordFolder {
    const records = new RecordFolder();
    this.#namespaces.set(namespace, records);
    return records;
  }

  #lastSequence(namespace: string, keyPrefix: string): number {
    // In ASCII the colon follows the digits, so keys after it are not sequence numbers.
    const options = { reverse: true, after: `${keyPrefix}:` };
    for (const { key } of this.select(namespace, keyPrefix, options)) {
      const sequence = decodeSequence(key.slice(keyPrefix.length));
      if (sequence !== undefined) return sequence;
    }
    return 0;
  }

  #checkHeld(lease: RequiredLease): void {
    checkRecordKey("locks", lease.key);
    checkLeaseRecord(this.read("locks", lease.key) ?? null, lease);
  }

  #check(namespace: string, key: string): void {
    this.#checkOpen();
    checkRecordKey(namespace, key);
  }

  #checkOpen(): void {
    if (this.#closed) throw new TroupeError("storage_unavailable", "The in-memory storage was closed.");
  }
}

function fromText(text: string | undefined): Json | null {
  return text === undefined ? null : (JSON.parse(text) as Json);
}

function nullRefused(done: string): TroupeError {
  return new TroupeError("invalid_value", `null cannot be ${done}: it stands for an absent record.`);
}
