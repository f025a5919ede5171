import { checkKey, decodeSequence, encodeSequence } from "@troupe/core/adapter";
import { isDisturbance } from "./disturbance.ts";
import { insertWhileHeld } from "./insert-while-held.ts";
import type { Lease } from "./insert-while-held.ts";
import type { MongoSession } from "./mongo-session.ts";
import { repeatWhile } from "./repeat-while.ts";
import { idOf, keyOf } from "./stored-record.ts";

/** What is appended, checked and as text. */
export type AppendRequest = {
  readonly namespace: string;
  readonly keyPrefix: string;
  readonly text: string;
  readonly ifHeld: Lease | undefined;
};

/** Where it was stored. */
export type Appended = { key: string; seq: number };

/** Other keys that look like numbers from afar are rare, so the first look takes one record. */
const manyIds = 100;

/** Stores the text under the next number. Of two who take the same number, the `_id` lets one win; the other looks again. */
export async function appendRecord(mongo: MongoSession, request: AppendRequest): Promise<Appended> {
  const { timeoutMs } = mongo;
  return await repeatWhile(async () => await insertNext(mongo, request), { isPassing: isDisturbance, timeoutMs });
}

async function insertNext(mongo: MongoSession, request: AppendRequest): Promise<Appended> {
  const { namespace, keyPrefix, text, ifHeld } = request;
  const seq = (await lastSequence(mongo, request)) + 1;
  const key = keyPrefix + encodeSequence(seq);
  checkKey(namespace, key);
  const record = { _id: idOf(namespace, key), v: text };
  if (ifHeld === undefined) await mongo.records.insertOne(record, { session: mongo.session });
  else await insertWhileHeld(mongo, record, ifHeld);
  return { key, seq };
}

/** The highest number stored under the prefix, or 0. */
async function lastSequence(
  { records, session }: MongoSession,
  { namespace, keyPrefix }: AppendRequest,
): Promise<number> {
  const first = idOf(namespace, `${keyPrefix}0`);
  // A colon comes next after the digits.
  let end = idOf(namespace, `${keyPrefix}:`);
  for (let limit = 1; ; limit = manyIds) {
    const range = { _id: { $gte: first, $lt: end } };
    const found = await records.find(range, { session, sort: { _id: -1 }, projection: { _id: 1 }, limit }).toArray();
    const sequences = found.map(({ _id }) => decodeSequence(keyOf(namespace, _id).slice(keyPrefix.length)));
    const sequence = sequences.find((each) => each !== undefined);
    if (sequence !== undefined) return sequence;
    if (found.length < limit) return 0;
    end = found.at(-1)?._id ?? first;
  }
}
