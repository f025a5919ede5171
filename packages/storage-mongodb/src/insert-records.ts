import type { TextInsert } from "@troupe/core/storage";
import { isDuplicate } from "./run-in-transaction.ts";
import { idOf } from "./stored-record.ts";
import type { MongoSession } from "./stored-record.ts";

/** Inserts each record whose key is free, the first of several with one key, and says for each whether it did. */
export async function insertRecords(mongo: MongoSession, inserts: readonly TextInsert[]): Promise<boolean[]> {
  const firsts = new Map<string, number>();
  for (const [index, { namespace, key }] of inserts.entries()) {
    const id = idOf(namespace, key);
    // Of two in one request, the server need not insert the first one.
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

/** Sends the records, which the library divides into requests of a size that the server takes. Returns the positions of those whose ids are taken. */
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

/** The part of the library's `MongoBulkWriteError` that is read. The library itself is loaded by the first call. */
type BulkFailure = {
  readonly writeErrors?: readonly { readonly code?: unknown; readonly index: number }[];
  readonly result?: { readonly getWriteConcernError?: () => unknown };
};

/** Returns the positions of the records whose ids were taken. Throws the error when there is any other reason in it. */
function duplicatesOf(error: unknown): number[] {
  const { writeErrors = [], result } = error as BulkFailure;
  const errors = [writeErrors].flat();
  // A write that the majority has not confirmed may be lost by a failover.
  const isUnconfirmed = Boolean(result?.getWriteConcernError?.());
  if (errors.length === 0 || isUnconfirmed || !errors.every(isDuplicate)) throw error;
  return errors.map(({ index }) => index);
}
