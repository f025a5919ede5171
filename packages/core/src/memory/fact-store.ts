import { mapBounded } from "../async/map-bounded.ts";
import { untilAborted } from "../async/until-aborted.ts";
import type { Lease } from "../lock/lease.ts";
import { removeAll } from "../session/remove-session.ts";
import { ownerPrefix, namespaces } from "../session/session-keys.ts";
import type { UserOwner } from "../session/session-owner.ts";
import { encodeKey } from "../storage/encode-key.ts";
import type { Json } from "../storage/json.ts";
import type { StorageDriver, Write } from "../storage/storage-driver.ts";
import type { FactChanges } from "./plan-facts.ts";
import { withRecordLock } from "./record-lock.ts";
import { readFact } from "./user-fact.ts";
import type { FactRecord, StoredFact } from "./user-fact.ts";

/**
 * Access to the stored facts of one user, for the functions here: the storage, the user, and a signal that ends a call.
 * Each fact is a record of its own.
 */
export type FactAccess = {
  driver: StorageDriver;
  user: UserOwner;
  signal: AbortSignal | undefined;
};

const namespace = namespaces.facts;

/** Returns all stored facts of the user, in no order. Throws `storage_corrupt` when one is damaged. */
export async function listFacts({ driver, user, signal }: FactAccess): Promise<StoredFact[]> {
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
  place: FactAccess,
  plan: (known: readonly StoredFact[]) => FactChanges,
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
export async function removeFact(place: FactAccess, id: string): Promise<void> {
  const { key } = deleteOf(place, id);
  await locked(place, async (lease) => await lease.write(() => place.driver.delete(namespace, key), place.signal));
}

/** Removes all facts of the user, also damaged ones. When it rejects, some may be left; repeating it is safe. */
export async function removeFacts(place: FactAccess): Promise<void> {
  const prefix = ownerPrefix(place.user);
  await locked(
    place,
    async (lease) => await lease.write(() => removeAll(place.driver, namespace, prefix), place.signal),
  );
}

async function locked<Result>(place: FactAccess, work: (lease: Lease) => Promise<Result>): Promise<Result> {
  const { driver, user, signal } = place;
  return await withRecordLock({ driver, place: { namespace, key: ownerPrefix(user) }, signal }, work);
}

async function apply(driver: StorageDriver, writes: readonly Write[]): Promise<void> {
  if (driver.transaction !== undefined) return await driver.transaction(writes);
  const [sets, deletes] = [writes.filter(({ value }) => value !== null), writes.filter(({ value }) => value === null)];
  await mapBounded(sets, ({ key, value }) => driver.set(namespace, key, value));
  await mapBounded(deletes, ({ key }) => driver.delete(namespace, key));
}

function writeOf({ user }: FactAccess, { id, ...record }: StoredFact): Write {
  const value: FactRecord = record;
  return { namespace, key: ownerPrefix(user) + encodeKey(id), value: value satisfies Json };
}

function deleteOf({ user }: FactAccess, id: string): Write {
  return { namespace, key: ownerPrefix(user) + encodeKey(id), value: null };
}
