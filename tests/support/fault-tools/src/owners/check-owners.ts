import assert from "node:assert/strict";
import type { SessionOwner } from "@troupe/core";

/** Users as a host signs them in. Any two of them differ in the user or the tenant, some in nothing else. */
export const principals = [
  { userId: "ada" },
  { userId: "bob" },
  { userId: "ada", tenantId: "acme" },
  { userId: "bob", tenantId: "acme" },
  { userId: "ada", tenantId: "apex" },
  { userId: "Zoë", tenantId: "acme" },
] as const satisfies readonly SessionOwner[];

/** The same users, and users that are only claimed by clients. */
export const usersOfAll: readonly (SessionOwner & { userId: string })[] = [
  ...principals,
  { userId: "ada", verified: false },
  { userId: "ada", tenantId: "acme", verified: false },
];

/** A place that stores data for each owner: a map, a list, a filter, a cache. */
export type OwnedPlace<Owner> = {
  /** The files, by path from the root of the repository, whose handling of owners this place tests. */
  readonly shows: readonly string[];
  readonly owners: readonly Owner[];
  /** Stores data of an owner there. `mark` later identifies whose it is. */
  readonly leave: (owner: Owner, mark: string) => Promise<unknown>;
  /** Returns the marks of all data that an owner finds there, by any way to find it. */
  readonly find: (owner: Owner) => Promise<readonly string[]>;
  /** Removes the data of an owner from the place. */
  readonly remove?: (owner: Owner) => Promise<unknown>;
};

/**
 * Checks that each owner finds exactly its own data: once all owners have stored some, and again after each removal.
 */
export async function checkOwners<Owner extends SessionOwner>(place: OwnedPlace<Owner>): Promise<void> {
  const { owners, leave, find, remove } = place;
  const left = new Map(owners.map((owner) => [owner, `of ${nameOf(owner)}`]));
  for (const [owner, mark] of left) await leave(owner, mark);
  const look = async (): Promise<void> => {
    for (const owner of owners) {
      const own = left.get(owner);
      assert.deepEqual(await find(owner), own === undefined ? [] : [own], `What ${nameOf(owner)} finds`);
    }
  };
  await look();
  if (remove === undefined) return;
  for (const owner of owners) {
    await remove(owner);
    left.delete(owner);
    await look();
  }
}

function nameOf({ userId = "nobody", tenantId = "no tenant", verified = true }: SessionOwner): string {
  return `${userId} in ${tenantId}${verified ? "" : ", claimed"}`;
}
