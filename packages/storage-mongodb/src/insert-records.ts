import type { RecordInsert } from "@troupe/core/storage";
import { isDuplicate } from "@troupe-internal/mongodb";
import { idOf } from "./stored-record.ts";
import type { MongoSession } from "./stored-record.ts";

/**
 * Inserts each record whose key is free. If several records have the same key, only the first is inserted. Returns true
 * for each record that was inserted.
 */
export async function insertRecords(mongo: MongoSession, inserts: readonly RecordInsert[]): Promise<boolean[]> {
  const firsts = new Map<string, number>();
  for (const [index, { namespace, key }] of inserts.entries()) {
    const id = idOf(namespace, key);
    // Only the first record of each key is sent, because the server might insert a later record instead.
    if (!firsts.has(id)) firsts.set(id, index);
  }
  const places = [...firsts.values()];
  const refused = await insertMany(
    mongo,
    [...firsts].map(([_id, index]) => ({ _id, v: inserts[index]?.text ?? "" })),
  );
  const inserted = inserts.map(() => false);
  for (const [position, place] of places.entries()) inserted[place] = !refused.has(position);
  return inserted;
}

/**
 * Sends the records, which the library splits into requests that the server accepts. Returns the positions of records
 * whose ids are taken.
 */
async function insertMany(
  { records, session }: MongoSession,
  documents: readonly { _id: string; v: string }[],
): Promise<ReadonlySet<number>> {
  try {
    await records.insertMany(documents, { session, ordered: false });
    return new Set();
  } catch (error) {
    return new Set(duplicatesOf(error));
  }
}

/**
 * The fields of the library's `MongoBulkWriteError` that are read. The class itself is not imported, because the
 * library is imported only by the first call.
 */
type BulkFailure = {
  readonly writeErrors?: readonly { readonly code?: unknown; readonly index: number }[];
  readonly result?: { readonly getWriteConcernError?: () => unknown };
};

/**
 * Returns the positions of records whose ids are taken, from the error of their insertion. Throws this error if there
 * is any other reason for it.
 */
function duplicatesOf(error: unknown): number[] {
  const { writeErrors = [], result } = error as BulkFailure;
  const errors = [writeErrors].flat();
  // A failover may lose a write that the majority has not confirmed, so such an insertion counts as failed.
  const isUnconfirmed = Boolean(result?.getWriteConcernError?.());
  if (errors.length === 0 || isUnconfirmed || !errors.every(isDuplicate)) throw error;
  return errors.map(({ index }) => index);
}
