import { checkRecordKey, checkLeaseRecord, decodeSequence, encodeSequence } from "@troupe/core/storage";
import type { AppendedKey, AppendRequest, RequiredLease } from "@troupe/core/storage";
import { ConcurrentWriteError, isConflict, repeatWhile, runInTransaction } from "@troupe-internal/mongodb";
import { idOf, keyOf } from "./stored-record.ts";
import type { MongoSession, StoredRecord } from "./stored-record.ts";

/**
 * Records per search for a prefix's last number, from the second search on. The first search reads one record, because
 * keys without a number are rare among the numbered keys.
 */
const furtherIds = 100;

/**
 * Stores the text under the next number of its key prefix, and returns number and key. Repeats if another append took
 * the number first. Throws `conflict` if the required lease is not held.
 */
export async function appendRecord(mongo: MongoSession, request: AppendRequest): Promise<AppendedKey> {
  const { timeoutMs } = mongo;
  return await repeatWhile(async () => await insertNext(mongo, request), { isTransient: isConflict, timeoutMs });
}

async function insertNext(mongo: MongoSession, request: AppendRequest): Promise<AppendedKey> {
  const { namespace, keyPrefix, text, lease } = request;
  const seq = (await lastSequence(mongo, request)) + 1;
  const key = keyPrefix + encodeSequence(seq);
  checkRecordKey(namespace, key);
  const record = { _id: idOf(namespace, key), v: text };
  if (lease === undefined) await mongo.records.insertOne(record, { session: mongo.session });
  else await insertUnderLease(mongo, record, lease);
  return { key, seq };
}

/** Returns the highest number stored under a key prefix, or 0. */
async function lastSequence(
  { records, session }: MongoSession,
  { namespace, keyPrefix }: AppendRequest,
): Promise<number> {
  const first = idOf(namespace, `${keyPrefix}0`);
  // The colon follows the digits in ASCII, so this id is greater than the id of every numbered record.
  let end = idOf(namespace, `${keyPrefix}:`);
  for (let limit = 1; ; limit = furtherIds) {
    const range = { _id: { $gte: first, $lt: end } };
    const found = await records.find(range, { session, sort: { _id: -1 }, projection: { _id: 1 }, limit }).toArray();
    const sequences = found.map(({ _id }) => decodeSequence(keyOf(namespace, _id).slice(keyPrefix.length)));
    const sequence = sequences.find((each) => each !== undefined);
    if (sequence !== undefined) return sequence;
    if (found.length < limit) return 0;
    end = found.at(-1)?._id ?? first;
  }
}

/**
 * Inserts a record and checks the lease in one step.
 *
 * Reading the lease inside the transaction is not enough. A transaction reads a snapshot, and a later takeover does not
 * conflict with a read. It does conflict with a write, so the transaction and a takeover happen one after the other.
 * Both writes are one request, so that a process rarely stops between them and the commit, which would block all other
 * writers.
 */
async function insertUnderLease(mongo: MongoSession, { _id, v }: StoredRecord, lease: RequiredLease): Promise<void> {
  const { records, session } = mongo;
  const held = await readLease(mongo, lease);
  await runInTransaction(mongo, async () => {
    const written = await records.bulkWrite(
      [
        { updateOne: { filter: held, update: { $inc: { fence: 1 } } } },
        { updateOne: { filter: { _id }, update: { $setOnInsert: { v } }, upsert: true } },
      ],
      { session },
    );
    // The lease was changed since it was read, or the record already exists.
    if (written.matchedCount !== 1 || written.upsertedCount !== 1) throw new ConcurrentWriteError();
  });
}

/**
 * Returns the stored lease that an append requires. Throws `conflict` if the lease does not have the required token.
 */
async function readLease(
  { records, session }: MongoSession,
  required: RequiredLease,
): Promise<{ _id: string; v: string }> {
  const _id = idOf("locks", required.key);
  const lease = await records.findOne({ _id }, { session });
  const text = lease === null ? null : lease.v;
  checkLeaseRecord(text, required);
  return { _id, v: String(text) };
}
