import { describe, expect, it } from "vitest";
import { BoundedStorage } from "./bounded-storage.ts";
import { ownerKey } from "./owner-key.ts";
import { signedIn as owners } from "./test/owners.ts";

describe("BoundedStorage with sessions of several owners", () => {
  it.each(owners)("takes away those of $userId in $tenantId, who has most, and of nobody else", async (greedy) => {
    const storage = new BoundedStorage({ maxSessions: 3 * owners.length });
    for (const owner of owners) {
      for (const id of ["1", "2"]) await storage.set("sessions", `${ownerKey(owner)}/${id}`, { id });
    }
    for (let id = 0; id < 60; id++) await storage.set("sessions", `${ownerKey(greedy)}/more-${id}`, { id });

    const kept = await Promise.all(owners.map((owner) => storage.list("sessions", `${ownerKey(owner)}/`)));
    const expected = owners.map((owner) => (owner === greedy ? owners.length + 2 : 2));
    expect(kept.map(({ length }) => length)).toEqual(expected);
  });

  it("counts sessions of users who are only claimed, whatever the names and tenants, for one owner", async () => {
    const storage = new BoundedStorage({ maxSessions: 6 });
    for (const owner of owners) await storage.set("sessions", `${ownerKey(owner)}/1`, {});
    for (const owner of owners) await storage.set("sessions", `${ownerKey({ ...owner, verified: false })}/1`, {});

    const kept = await Promise.all(owners.map((owner) => storage.list("sessions", `${ownerKey(owner)}/`)));
    expect(kept.map(({ length }) => length)).toEqual([1, 1, 1, 1, 1]);
  });
});
