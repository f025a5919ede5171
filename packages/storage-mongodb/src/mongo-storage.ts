import { TroupeError } from "@troupe/core";
import type { AppendOptions, Json, ListOptions, StorageDriver, StorageEntry, Write } from "@troupe/core";
import { checkKey, checkListOptions, checkPrefix, parseJson, toJson, withTimeout } from "@troupe/core/adapter";
import { appendRecord } from "./append-record.ts";
import type { Appended } from "./append-record.ts";
import { compareAndSet } from "./compare-and-set.ts";
import { LinePerName } from "./line-per-name.ts";
import { MongoConnection } from "./mongo-connection.ts";
import { MongoFailures } from "./mongo-failure.ts";
import { readArguments } from "./mongo-options.ts";
import type { MongoOptions } from "./mongo-options.ts";
import type { MongoSession } from "./mongo-session.ts";
import { openCollection } from "./open-collection.ts";
import { idOf, idRange, keyOf, toText } from "./stored-record.ts";
import { writeRecord, writeTogether } from "./write-records.ts";
import type { TextWrite } from "./write-records.ts";

const pingTimeoutMs = 1000;

/** Storage in one collection of a MongoDB that runs as a replica set or a sharded cluster. */
export class MongoStorage implements Required<StorageDriver> {
  readonly #connection: MongoConnection;
  readonly #appends: LinePerName;

  /**
   * Nothing is connected before the first call. Without a `dbName`, the database is the one that the uri names, else
   * `troupe`; the collection is `storage`.
   */
  // oxlint-disable-next-line max-params -- the specification's shape
  constructor(uri: string, dbName?: string, collectionName?: string, options: MongoOptions = {}) {
    const settings = readArguments({ uri, dbName, collectionName, options });
    const failures = new MongoFailures(uri);
    this.#appends = new LinePerName(settings.timeoutMs);
    this.#connection = new MongoConnection(async () => await openCollection(settings, failures), failures);
  }

  async get(namespace: string, key: string): Promise<Json | null> {
    checkKey(namespace, key);
    const _id = idOf(namespace, key);
    const found = await this.#use(async ({ records, session }) => await records.findOne({ _id }, { session }));
    return found === null ? null : parseJson(found.v, { namespace, key });
  }

  async set(namespace: string, key: string, value: Json): Promise<void> {
    const write = toTextWrite({ namespace, key, value });
    await this.#use(async (mongo) => await writeRecord(mongo, write));
  }

  async delete(namespace: string, key: string): Promise<void> {
    await this.set(namespace, key, null);
  }

  async list(namespace: string, prefix = "", options: ListOptions = {}): Promise<StorageEntry[]> {
    checkPrefix(namespace, prefix);
    checkListOptions(options);
    const range = idRange(namespace, prefix, options);
    const { limit = 0, reverse = false } = options;
    const found = await this.#use(async ({ records, session }) => {
      // One state of the collection, however many batches it takes: all of a transaction or nothing of it.
      const snapshot = { session, readConcern: { level: "snapshot" } } as const;
      return await records.find(range, { ...snapshot, sort: { _id: reverse ? -1 : 1 }, limit }).toArray();
    });
    return found.map(({ _id, v }) => {
      const key = keyOf(namespace, _id);
      return { key, value: parseJson(v, { namespace, key }) };
    });
  }

  // oxlint-disable-next-line max-params -- the contract's shape
  async append(namespace: string, keyPrefix: string, value: Json, { ifHeld }: AppendOptions = {}): Promise<Appended> {
    checkPrefix(namespace, keyPrefix);
    if (ifHeld !== undefined) checkKey("locks", ifHeld.key);
    const text = toText(value);
    if (text === null) throw new TroupeError("invalid_value", "null cannot be appended: it stands for no record.");
    const request = { namespace, keyPrefix, text, ifHeld: ifHeld && { ...ifHeld } };
    return await this.#use(async (mongo) => {
      const name = idOf(namespace, keyPrefix);
      return await this.#appends.wait(name, async () => await appendRecord(mongo, request));
    });
  }

  // oxlint-disable-next-line max-params -- the contract's shape
  async compareAndSet(namespace: string, key: string, expected: Json | null, next: Json | null): Promise<boolean> {
    checkKey(namespace, key);
    const swap = { namespace, key, expected: toJson(expected), next: toText(next) };
    return await this.#use(async (mongo) => await compareAndSet(mongo, swap));
  }

  /** Resolves when the storage can be used, and fails when that is not known within a second. */
  async ping(): Promise<void> {
    const answered = this.#connection.use(async ({ ping }) => await ping());
    await withTimeout(answered, {
      timeoutMs: pingTimeoutMs,
      onTimeout: () => {
        throw new TroupeError("storage_unavailable", `MongoDB did not answer within ${pingTimeoutMs} ms.`);
      },
    });
  }

  async transaction(writes: readonly Write[]): Promise<void> {
    const textWrites = writes.map(toTextWrite);
    await this.#use(async (mongo) => await writeTogether(mongo, textWrites));
  }

  /** Waits for calls under way and closes the connections. */
  async close(): Promise<void> {
    await this.#connection.close();
  }

  async #use<Result>(work: (mongo: MongoSession) => Promise<Result>): Promise<Result> {
    return await this.#connection.use(async ({ inSession }) => await inSession(work));
  }
}

function toTextWrite({ namespace, key, value }: Write): TextWrite {
  checkKey(namespace, key);
  return { _id: idOf(namespace, key), text: toText(value) };
}
