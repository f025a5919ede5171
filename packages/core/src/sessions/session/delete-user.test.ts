import { expect, it } from "vitest";
import { InMemoryStorage } from "../storage/in-memory-storage.ts";
import type { StatedOwner } from "../storage/session-owner.ts";
import { namespaces, ownerPrefix, sessionKey } from "./session-keys.ts";
import { SessionStore } from "./session-store.ts";

/** Users who differ in one thing each. */
const owners: readonly StatedOwner[] = [
  { tenantId: "t", userId: "u", verified: true },
  { tenantId: "t", userId: "u", verified: false },
  { tenantId: undefined, userId: "u", verified: true },
  { tenantId: undefined, userId: "u", verified: false },
  { tenantId: "t", userId: "ü", verified: true },
  { tenantId: "t2", userId: "u", verified: true },
  // Sessions without a user, which no deletion of a user takes.
  { tenantId: "t", userId: undefined, verified: true },
  { tenantId: undefined, userId: undefined, verified: true },
];

const users = owners.filter(({ userId }) => userId !== undefined);

const kept = [
  namespaces.sessions,
  namespaces.recent,
  namespaces.turns,
  namespaces.turnParts,
  namespaces.memory,
  namespaces.facts,
];

/** Kinds of records that may be left of a session whose record is gone, by a process that was late or died. */
const leftBehind = [namespaces.recent, namespaces.turnParts, namespaces.memory, namespaces.facts];

/** Stores a record of each kind for each user, without the code that is tested. */
async function storageOfAll(): Promise<InMemoryStorage> {
  const storage = new InMemoryStorage();
  for (const owner of owners) {
    for (const namespace of leftBehind)
      await storage.set(namespace, `${sessionKey(owner, "gone")}/000000000001`, { v: 1 });
    for (const namespace of kept) {
      const key = namespace === namespaces.sessions ? sessionKey(owner, "s") : `${sessionKey(owner, "s")}/000000000001`;
      await storage.set(
        namespace,
        key,
        namespace === namespaces.sessions ? { v: 1, updatedAt: 1, turns: 1 } : { v: 1 },
      );
    }
  }
  return storage;
}

/** Returns the users, by their place above, of whom a storage has something, with the kinds of it. */
async function leftIn(storage: InMemoryStorage): Promise<Record<number, string[]>> {
  const left: Record<number, string[]> = {};
  for (const [index, owner] of owners.entries()) {
    for (const namespace of kept) {
      const found = await storage.list(namespace, ownerPrefix(owner));
      if (found.length > 0) (left[index] ??= []).push(namespace);
    }
  }
  return left;
}

it.each(users.map((owner, index) => [index, owner] as const))(
  "the deletion of user %i of %j removes all of that user, nothing of others, and is passed on with its owner",
  async (index, owner) => {
    const storage = await storageOfAll();
    const forgotten: unknown[] = [];
    const store = new SessionStore(storage, {}, [{ forgetUser: async (user) => void forgotten.push(user) }]);
    const { userId = "", ...scope } = owner;
    await store.deleteUser(userId, scope);

    const others = owners.map((_, each) => each).filter((each) => each !== index);
    expect(await leftIn(storage)).toEqual(Object.fromEntries(others.map((each) => [each, kept])));
    expect(forgotten).toHaveLength(1);
    expect(ownerPrefix(forgotten[0] as StatedOwner)).toBe(ownerPrefix(owner));
  },
);
