import type { AnyBulkWriteOperation } from "mongodb";
import { isDisturbance } from "./disturbance.ts";
import type { MongoSession } from "./mongo-session.ts";
import { repeatWhile } from "./repeat-while.ts";
import type { StoredRecord } from "./stored-record.ts";
import { transact } from "./transact.ts";

/** One write; a text of `null` deletes. */
export type TextWrite = { readonly _id: string; readonly text: string | null };

/** Sets or deletes one record. */
export async function writeRecord(
  { records, session, timeoutMs }: MongoSession,
  { _id, text }: TextWrite,
): Promise<void> {
  if (text === null) {
    await records.deleteOne({ _id }, { session });
    return;
  }
  // Of two who set what was not there, both may try to insert it.
  const write = async () => await records.updateOne({ _id }, { $set: { v: text } }, { session, upsert: true });
  await repeatWhile(write, { isPassing: isDisturbance, timeoutMs });
}

/** Applies all writes or none. Of several to one record, the last is what counts. */
export async function writeTogether(mongo: MongoSession, writes: readonly TextWrite[]): Promise<void> {
  const last = [...new Map(writes.map((write) => [write._id, write])).values()];
  const [only] = last;
  if (only === undefined) return;
  if (last.length === 1) return await writeRecord(mongo, only);
  const operations = last.map(toOperation);
  const { records, session, timeoutMs } = mongo;
  const write = async () => void (await records.bulkWrite(operations, { session, ordered: false }));
  await repeatWhile(async () => await transact(mongo, write), { isPassing: isDisturbance, timeoutMs });
}

function toOperation({ _id, text }: TextWrite): AnyBulkWriteOperation<StoredRecord> {
  if (text === null) return { deleteOne: { filter: { _id } } };
  return { updateOne: { filter: { _id }, update: { $set: { v: text } }, upsert: true } };
}
