import type { StorageDriver, Write } from "../storage/storage-driver.ts";
import { mapBounded } from "../../base/async/map-bounded.ts";
import { applyWrites } from "./change-session.ts";
import type { SessionRef } from "./session-keys.ts";
import { indexWrites } from "./recent-index.ts";
import type { SessionRecord } from "./session-record.ts";
import { removeShares } from "./share-record.ts";
import { scan } from "./scan.ts";
import { keyPrefixOf, memberSessionsPrefix, memoryEntryKey, namespaces, ownerPrefix } from "./session-keys.ts";
import type { UserOwner } from "../storage/session-owner.ts";

/** Storage to remove sessions from, and a check before each step that rejects if another process took the lease. */
export type Removal = { driver: StorageDriver; confirm?: () => Promise<void> };

/**
 * Removes a session with its turns and its memory, and the sessions of a team's members under it. The session's own
 * record, and its entry in the owner's list, are removed last, so that an interrupted removal can be repeated.
 */
export async function removeSession(removal: Removal, ref: SessionRef, session: SessionRecord | null): Promise<void> {
  const { key } = ref;
  const { driver } = removal;
  const members = scan(driver, { namespace: namespaces.sessions, prefix: memberSessionsPrefix(key) });
  for await (const page of members) {
    for (const member of page) {
      await removeOne(removal, member.key);
      // The stored queue of a member's session can be deleted: it contains no run, except one that loses its lease with
      // the session.
      await driver.delete(namespaces.locks, member.key);
    }
  }
  await removeOne(removal, key, session === null ? [] : indexWrites(ref, session, null));
}

/** Deletes all records of a namespace whose keys begin with the prefix. After a rejection, some records may remain. */
export async function removeAll(driver: StorageDriver, namespace: string, prefix: string): Promise<void> {
  await removeBelow({ driver }, namespace, prefix);
}

/**
 * Removes the records that a user has beside sessions, such as memories and facts. After a rejection, some records may
 * remain.
 */
export async function removeUserRecords(driver: StorageDriver, owner: UserOwner): Promise<void> {
  // Removes all memories of the user, also those that were used without a session.
  await removeMemories(driver, owner);
  await removeShares({ driver }, ownerPrefix(owner));
  // Turns may remain of a hidden session whose record was never written, because its process has crashed.
  const { turns, turnParts, facts, recent, forks } = namespaces;
  for (const namespace of [turns, turnParts, facts, recent, forks]) {
    await removeAll(driver, namespace, ownerPrefix(owner));
  }
}

/**
 * Removes the memory of a session, then its entry in the index by session id: readers skip an entry without a memory.
 */
export async function removeMemory(driver: StorageDriver, key: string): Promise<void> {
  await applyWrites(driver, memoryRemoval(key));
}

/**
 * Removes all memories of a user and their entries in the index by session id. The entry is removed first: it contains
 * the user's name, and a repeated removal can find the entry only through its memory.
 */
export async function removeMemories(driver: StorageDriver, owner: UserOwner): Promise<void> {
  for await (const page of scan(driver, { namespace: namespaces.memory, prefix: ownerPrefix(owner) })) {
    await mapBounded(page, ({ key }) => applyWrites(driver, memoryRemoval(key).toReversed()));
  }
}

function memoryRemoval(key: string): Write[] {
  return [
    { namespace: namespaces.memory, key, value: null },
    { namespace: namespaces.memoryById, key: memoryEntryKey(key), value: null },
  ];
}

async function removeOne(removal: Removal, key: string, index: readonly Write[] = []): Promise<void> {
  const { driver, confirm } = removal;
  await removeShares(removal, keyPrefixOf(key));
  await removeBelow(removal, namespaces.turns, keyPrefixOf(key));
  await removeBelow(removal, namespaces.turnParts, keyPrefixOf(key));
  await removeBelow(removal, namespaces.memory, keyPrefixOf(key));
  await confirm?.();
  await applyWrites(driver, [...memoryRemoval(key), { namespace: namespaces.sessions, key, value: null }, ...index]);
}

async function removeBelow({ driver, confirm }: Removal, namespace: string, prefix: string): Promise<void> {
  // Pieces of turns' data are large, so only a few are listed at a time.
  const pageSize = namespace === namespaces.turnParts ? 8 : 100;
  for await (const page of scan(driver, { namespace, prefix, pageSize })) {
    await confirm?.();
    await mapBounded(page, ({ key }) => driver.delete(namespace, key));
  }
}
