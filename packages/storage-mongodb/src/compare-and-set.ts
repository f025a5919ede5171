import { isDeepStrictEqual } from "node:util";
import type { Json } from "@troupe/core";
import { parseJson } from "@troupe/core/adapter";
import { isDuplicate } from "./disturbance.ts";
import type { MongoSession } from "./mongo-session.ts";
import { idOf } from "./stored-record.ts";

/** A record to compare with `expected` and to set, as text, when it is that; `null` stands for no record. */
export type Swap = {
  readonly namespace: string;
  readonly key: string;
  readonly expected: Json | null;
  readonly next: string | null;
};

/**
 * Sets by comparison and says whether it did. Each try writes in place of one exact text, in one step. The first takes the
 * text for what we would have written, which it nearly always is, and the others what is stored if it means the same.
 */
export async function compareAndSet(mongo: MongoSession, swap: Swap): Promise<boolean> {
  const { namespace, key, expected, next } = swap;
  const _id = idOf(namespace, key);
  for (let text = textOf(expected); ;) {
    if (await replaceText(mongo, { _id, text, next })) return true;
    const stored = await mongo.records.findOne({ _id }, { session: mongo.session });
    const found = stored === null ? null : parseJson(stored.v, { namespace, key });
    if (!isDeepStrictEqual(found, expected)) return false;
    text = stored?.v ?? null;
  }
}

function textOf(value: Json | null): string | null {
  return value === null ? null : JSON.stringify(value);
}

/** The record, the text it has now, and the one it gets; `null` stands for no record. */
type Replacement = { readonly _id: string; readonly text: string | null; readonly next: string | null };

async function replaceText({ records, session }: MongoSession, { _id, text, next }: Replacement): Promise<boolean> {
  if (text !== null) {
    const old = { _id, v: text };
    if (next === null) return (await records.deleteOne(old, { session })).deletedCount === 1;
    return (await records.updateOne(old, { $set: { v: next } }, { session })).matchedCount === 1;
  }
  if (next === null) return (await records.findOne({ _id }, { session })) === null;
  try {
    return (await records.insertOne({ _id, v: next }, { session })).acknowledged;
  } catch (error) {
    if (isDuplicate(error)) return false;
    throw error;
  }
}
