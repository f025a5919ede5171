import { mapBounded } from "../async/map-bounded.ts";
import { untilAborted } from "../async/until-aborted.ts";
import type { Lease } from "../lock/lease.ts";
import { removeAll } from "../session/remove-session.ts";
import { ownerPrefix, namespaces } from "../session/session-keys.ts";
import type { UserOwner } from "../session/session-owner.ts";
import { encodeKey } from "../storage/encode-key.ts";
import type { Json } from "../storage/json.ts";
import type { StorageDriver, Write } from "../storage/storage-driver.ts";
import type { FactPlan } from "./plan-facts.ts";
import { withRecordLock } from "./record-lock.ts";
import { readFact } from "./user-fact.ts";
import type { FactRecord, StoredFact } from "./user-fact.ts";

/** A user and the storage of the user's facts, each in a record of its own; the signal ends the waiting of a call. */
export type FactPlace = {
  driver: StorageDriver;
  user: UserOwner;
  signal: AbortSignal | undefined;
};

const namespace = namespaces.facts;

/** Returns all stored facts of the user, in no order. Throws `storage_corrupt` when one is damaged. */
export async function listFacts({ driver, user, signal }: FactPlace): Promise<StoredFact[]> {
  const prefix = ownerPrefix(user);
  const entries = await untilAborted(() => driver.list(namespace, prefix), signal);
  return entries.map(({ key, value }) => ({
    ...readFact(value, { namespace, key }),
    id: decodeURIComponent(key.slice(prefix.length)),
  }));
}

/**
 * Reads a user's facts, stores and removes those that `plan` returns, and returns those stored. Calls of one process
 * for a user run one after the other.
 */
export async function changeFacts(
  place: FactPlace,
  plan: (known: readonly StoredFact[]) => FactPlan,
): Promise<StoredFact[]> {
  return await locked(place, async (lease) => {
    const { stored, removed } = plan(await listFacts(place));
    // New facts first: a failure in between leaves too many facts for a while, and loses none.
    const writes = [...stored.map((fact) => writeOf(place, fact)), ...removed.map((fact) => deleteOf(place, fact.id))];
    if (writes.length > 0) await lease.write(() => apply(place.driver, writes), place.signal);
    return stored;
  });
}

/** Removes one fact of the user by its id. A fact that does not exist is not an error. */
export async function removeFact(place: FactPlace, id: string): Promise<void> {
  const { key } = deleteOf(place, id);
  await locked(place, async (lease) => await lease.write(() => place.driver.delete(namespace, key), place.signal));
}

/** Removes all facts of the user, also damaged ones. When it rejects, some may be left; repeating it is safe. */
export async function removeFacts(place: FactPlace): Promise<void> {
  const prefix = ownerPrefix(place.user);
  await locked(
    place,
    async (lease) => await lease.write(() => removeAll(place.driver, namespace, prefix), place.signal),
  );
}

async function locked<Result>(place: FactPlace, work: (lease: Lease) => Promise<Result>): Promise<Result> {
  const { driver, user, signal } = place;
  return await withRecordLock({ driver, place: { namespace, key: ownerPrefix(user) }, signal }, work);
}

async function apply(driver: StorageDriver, writes: readonly Write[]): Promise<void> {
  if (driver.transaction !== undefined) return await driver.transaction(writes);
  const [sets, deletes] = [writes.filter(({ value }) => value !== null), writes.filter(({ value }) => value === null)];
  await mapBounded(sets, ({ key, value }) => driver.set(namespace, key, value));
  await mapBounded(deletes, ({ key }) => driver.delete(namespace, key));
}

function writeOf({ user }: FactPlace, { id, ...record }: StoredFact): Write {
  const value: FactRecord = record;
  return { namespace, key: ownerPrefix(user) + encodeKey(id), value: value satisfies Json };
}

function deleteOf({ user }: FactPlace, id: string): Write {
  return { namespace, key: ownerPrefix(user) + encodeKey(id), value: null };
}
