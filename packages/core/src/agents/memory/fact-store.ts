import { mapBounded } from "../../base/async/map-bounded.ts";
import { untilAborted } from "../../base/async/until-aborted.ts";
import type { Lease } from "../../sessions/lock/lease.ts";
import { removeAll } from "../../sessions/session/remove-session.ts";
import { ownerPrefix, namespaces } from "../../sessions/session/session-keys.ts";
import type { UserOwner } from "../../sessions/storage/session-owner.ts";
import { encodeKey } from "../../sessions/storage/encode-key.ts";
import type { Json } from "../../sessions/storage/json.ts";
import { canTransact } from "../../sessions/storage/shared-driver.ts";
import type { StorageDriver, Write } from "../../sessions/storage/storage-driver.ts";
import type { KnownStorages } from "./memory-storages.ts";
import type { FactChanges } from "./plan-facts.ts";
import { withRecordLock } from "./record-lock.ts";
import { readFact } from "./user-fact.ts";
import type { FactRecord, StoredFact } from "./user-fact.ts";

/**
 * Access to the stored facts of one user: the storages that hold the facts, the storage for new facts, and a signal
 * that ends a call. Each fact is a separate record.
 */
export type FactAccess = {
  drivers: KnownStorages;
  target: StorageDriver;
  user: UserOwner;
  signal: AbortSignal | undefined;
};

/** A stored fact and its storage. */
type LocatedFact = { fact: StoredFact; driver: StorageDriver };

const namespace = namespaces.facts;

/** Returns all stored facts of the user, unordered. Throws `storage_corrupt` if a fact is damaged. */
export async function listFacts(access: FactAccess): Promise<StoredFact[]> {
  return factsOf(await locateFacts(access));
}

/**
 * Reads a user's facts, stores and removes the facts that `plan` returns, and returns the facts that it stored. Calls
 * for one user within a process run one after the other.
 */
export async function changeFacts(
  access: FactAccess,
  plan: (known: readonly StoredFact[]) => FactChanges,
): Promise<StoredFact[]> {
  return await locked(access, async (lease) => {
    const located = await locateFacts(access);
    const { stored, removed } = plan(factsOf(located));
    const changes = new Map<StorageDriver, Write[]>([[access.target, []]]);
    const change = (id: string, write: Write) => {
      const driver = located.get(id)?.driver ?? access.target;
      changes.set(driver, [...(changes.get(driver) ?? []), write]);
    };
    // New facts are stored first: after a failure in between there are too many facts for a while, but none is lost.
    for (const fact of stored) change(fact.id, writeOf(access, fact));
    for (const { id } of removed) change(id, deleteOf(access, id));
    for (const [driver, writes] of changes) {
      if (writes.length > 0) await lease.write(() => apply(driver, writes), access.signal);
    }
    return stored;
  });
}

/** Removes one fact of the user by its id. A fact that does not exist is not an error. */
export async function removeFact(access: FactAccess, id: string): Promise<void> {
  const { key } = deleteOf(access, id);
  await inEach(access, async (driver) => await driver.delete(namespace, key));
}

/** Removes all facts of the user, including damaged facts. If it rejects, some may be left; repeating it is safe. */
export async function removeFacts(access: FactAccess): Promise<void> {
  const prefix = ownerPrefix(access.user);
  await inEach(access, async (driver) => await removeAll(driver, namespace, prefix));
}

async function inEach(access: FactAccess, remove: (driver: StorageDriver) => Promise<void>): Promise<void> {
  await locked(access, async (lease) => {
    for (const driver of access.drivers) await lease.write(() => remove(driver), access.signal);
  });
}

/**
 * Reads the user's facts from all storages, and returns each id once: two storages may be connections to one database,
 * which would list each fact twice.
 */
async function locateFacts({ drivers, user, signal }: FactAccess): Promise<ReadonlyMap<string, LocatedFact>> {
  const prefix = ownerPrefix(user);
  const read = async () => await Promise.all(drivers.map(async (driver) => await driver.list(namespace, prefix)));
  const located = new Map<string, LocatedFact>();
  for (const [index, entries] of (await untilAborted(read, signal)).entries()) {
    const driver = drivers[index] ?? drivers[0];
    for (const { key, value } of entries) {
      const id = decodeURIComponent(key.slice(prefix.length));
      if (!located.has(id)) located.set(id, { fact: { ...readFact(value, { namespace, key }), id }, driver });
    }
  }
  return located;
}

function factsOf(located: ReadonlyMap<string, LocatedFact>): StoredFact[] {
  return Array.from(located.values(), ({ fact }) => fact);
}

/** Runs work while no other call of this process changes the user's facts, in any storage. */
async function locked<Result>(access: FactAccess, work: (lease: Lease) => Promise<Result>): Promise<Result> {
  const { drivers, user, signal } = access;
  return await withRecordLock({ driver: drivers[0], place: { namespace, key: ownerPrefix(user) }, signal }, work);
}

async function apply(driver: StorageDriver, writes: readonly Write[]): Promise<void> {
  if (canTransact(driver)) return await driver.transaction(writes);
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
