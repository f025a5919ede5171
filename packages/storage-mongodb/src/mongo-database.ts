import type { MongoFailures } from "@troupe-internal/mongodb";
import type { Logger } from "@troupe/core";
import { closeInOrder, closeTogether } from "@troupe/core/kit";
import type {
  AppendedKey,
  AppendRequest,
  RangeQuery,
  RecordDatabase,
  RecordInsert,
  TextRecord,
  RecordCompareAndSet,
  RecordWrite,
} from "@troupe/core/storage";
import { isConflict, isDuplicate, repeatWhile, runInTransaction } from "@troupe-internal/mongodb";
import type { AggregateOptions, AnyBulkWriteOperation } from "mongodb";
import { AppendQueue } from "./append-queue.ts";
import { appendRecord } from "./append-record.ts";
import { ChangeWatch } from "./change-watch.ts";
import { insertRecords } from "./insert-records.ts";
import { listRanges } from "./list-ranges.ts";
import type { OpenCollection } from "./open-collection.ts";
import { needsReplicaSet, standaloneWarning } from "./standalone.ts";
import { idOf, keyOf } from "./stored-record.ts";
import type { MongoSession, StoredRecord } from "./stored-record.ts";

/**
 * The operations of `MongoStorage` on its collection, with one document per record. `MongoFailures` converts all
 * errors.
 */
export class MongoDatabase implements RecordDatabase {
  readonly #collection: OpenCollection;
  readonly #failures: MongoFailures;
  readonly #logger: Logger;
  readonly #appends: AppendQueue;
  readonly #watches = new Set<ChangeWatch>();

  constructor(collection: OpenCollection, { failures, logger }: { failures: MongoFailures; logger: Logger }) {
    this.#collection = collection;
    this.#failures = failures;
    this.#logger = logger;
    this.#appends = new AppendQueue(collection.timeoutMs);
  }

  async read(namespace: string, key: string): Promise<unknown> {
    return await this.#inSession(async (mongo) => await readText(mongo, idOf(namespace, key)));
  }

  async write(write: RecordWrite): Promise<void> {
    await this.#inSession(async (mongo) => await writeRecord(mongo, write));
  }

  get singleProcess(): string | undefined {
    return this.#collection.isStandalone ? standaloneWarning : undefined;
  }

  async writeAll(writes: readonly RecordWrite[]): Promise<void> {
    if (this.#collection.isStandalone) throw needsReplicaSet("transaction");
    const operations = writes.map(toOperation);
    await this.#inSession(async (mongo) => {
      const { records, session, timeoutMs } = mongo;
      const write = async () => void (await records.bulkWrite(operations, { session, ordered: false }));
      await repeatWhile(async () => await runInTransaction(mongo, write), { isTransient: isConflict, timeoutMs });
    });
  }

  async list({ namespace, from, to, limit = 0, reverse }: RangeQuery): Promise<TextRecord[]> {
    const range = { _id: { $gte: idOf(namespace, from), $lt: idOf(namespace, to) } };
    const sort = { _id: reverse ? -1 : 1 } as const;
    const found = await this.#inSession(async ({ records, session }) => {
      const options = { ...this.#oneState, session, sort, limit } as const;
      return await records.find(range, options).toArray();
    });
    return found.map(({ _id, v }) => ({ key: keyOf(namespace, _id), text: v }));
  }

  async listMany(ranges: readonly RangeQuery[]): Promise<TextRecord[][]> {
    return await this.#inSession(async (mongo) => await listRanges(mongo, { ranges, options: this.#oneState }));
  }

  async append(request: AppendRequest): Promise<AppendedKey> {
    if (request.lease !== undefined && this.#collection.isStandalone) throw needsReplicaSet("ifHeld");
    const prefix = idOf(request.namespace, request.keyPrefix);
    return await this.#inSession(
      async (mongo) => await this.#appends.run(prefix, async () => await appendRecord(mongo, request)),
    );
  }

  async swap(swap: RecordCompareAndSet): Promise<boolean> {
    return await this.#inSession(async (mongo) => await swapText(mongo, swap));
  }

  async insertAll(inserts: readonly RecordInsert[]): Promise<boolean[]> {
    return await this.#inSession(async (mongo) => await insertRecords(mongo, inserts));
  }

  watch(onChange: () => void): () => void {
    // A standalone server has no change streams. It serves one process, which knows its own writes.
    if (this.#collection.isStandalone) return () => {};
    const open = this.#collection.changes;
    const watch = new ChangeWatch({ open, onChange, failures: this.#failures, logger: this.#logger });
    this.#watches.add(watch);
    return () => void watch.close().then(() => this.#watches.delete(watch));
  }

  async ping(): Promise<void> {
    await this.#converted(async () => await this.#collection.ping());
  }

  async close(): Promise<void> {
    await closeInOrder(
      () => closeTogether(...Array.from(this.#watches, (watch) => () => watch.close())),
      () => this.#collection.close(),
    );
  }

  /**
   * Options with which all batches of a list read one state of the collection, so that a transaction is seen whole or
   * not at all. Empty for a standalone server, which does not support this.
   */
  get #oneState(): AggregateOptions {
    return this.#collection.isStandalone ? {} : { readConcern: { level: "snapshot" } };
  }

  async #inSession<Result>(work: (mongo: MongoSession) => Promise<Result>): Promise<Result> {
    return await this.#converted(async () => await this.#collection.inSession(work));
  }

  async #converted<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      throw this.#failures.from(error);
    }
  }
}

async function readText({ records, session }: MongoSession, _id: string): Promise<unknown> {
  const found = await records.findOne({ _id }, { session });
  return found === null ? null : found.v;
}

async function writeRecord({ records, session, timeoutMs }: MongoSession, write: RecordWrite): Promise<void> {
  const { namespace, key, text } = write;
  const _id = idOf(namespace, key);
  if (text === null) {
    await records.deleteOne({ _id }, { session });
    return;
  }
  // One of two concurrent upserts of a new record may fail as a duplicate, and is then repeated.
  const upsert = async () => await records.updateOne({ _id }, { $set: { v: text } }, { session, upsert: true });
  await repeatWhile(upsert, { isTransient: isConflict, timeoutMs });
}

async function swapText({ records, session }: MongoSession, swap: RecordCompareAndSet): Promise<boolean> {
  const { namespace, key, expected, next } = swap;
  const _id = idOf(namespace, key);
  if (next === null) return (await records.deleteOne({ _id, v: expected ?? "" }, { session })).deletedCount === 1;
  if (expected !== null) {
    return (await records.updateOne({ _id, v: expected }, { $set: { v: next } }, { session })).matchedCount === 1;
  }
  try {
    return (await records.insertOne({ _id, v: next }, { session })).acknowledged;
  } catch (error) {
    if (isDuplicate(error)) return false;
    throw error;
  }
}

function toOperation({ namespace, key, text }: RecordWrite): AnyBulkWriteOperation<StoredRecord> {
  const _id = idOf(namespace, key);
  if (text === null) return { deleteOne: { filter: { _id } } };
  return { updateOne: { filter: { _id }, update: { $set: { v: text } }, upsert: true } };
}
