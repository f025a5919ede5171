import { TroupeError } from "@troupe/core";
import type { AppendOptions } from "@troupe/core";
import { holdsToken, parseJson } from "@troupe/core/adapter";
import { Overtaken } from "./disturbance.ts";
import type { MongoSession } from "./mongo-session.ts";
import { idOf } from "./stored-record.ts";
import type { StoredRecord } from "./stored-record.ts";
import { transact } from "./transact.ts";

/** The record of the namespace `locks` that must have this token. */
export type Lease = NonNullable<AppendOptions["ifHeld"]>;

/**
 * Inserts a new record in one step with seeing that the lease is held.
 *
 * Reading the lease in the transaction would not do: a transaction sees the past, and a takeover that it does not see is not
 * in its way. Writing to it is: of this transaction and a takeover, one comes wholly before the other. Both writes are
 * one request, so that a process which is stopped or killed hardly ever leaves them waiting for their commit, and
 * everybody else with them.
 */
export async function insertWhileHeld(mongo: MongoSession, { _id, v }: StoredRecord, lease: Lease): Promise<void> {
  const { records, session } = mongo;
  const held = await readHeld(mongo, lease);
  await transact(mongo, async () => {
    const written = await records.bulkWrite(
      [
        { updateOne: { filter: held, update: { $inc: { fence: 1 } } } },
        { updateOne: { filter: { _id }, update: { $setOnInsert: { v } }, upsert: true } },
      ],
      { session },
    );
    // The lease was still what it was when it was looked at, and the record was not there.
    if (written.matchedCount !== 1 || written.upsertedCount !== 1) throw new Overtaken();
  });
}

/** The lease as it is stored, while its token is the one asked for. */
async function readHeld(
  { records, session }: MongoSession,
  { key, token }: Lease,
): Promise<{ _id: string; v: string }> {
  const _id = idOf("locks", key);
  const lease = await records.findOne({ _id }, { session });
  if (lease !== null && holdsToken(parseJson(lease.v, { namespace: "locks", key }), token)) return { _id, v: lease.v };
  throw new TroupeError("conflict", "The lease is no longer held: another writer took it over.", { fields: { key } });
}
