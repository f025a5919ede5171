import { InMemoryStorage } from "@troupe/core";
import type { StorageDriver } from "@troupe/core";
import { SqliteStorage } from "@troupe/storage-sqlite";
import fc from "fast-check";
import { describe, expect, inject, it } from "vitest";
import { operations, OwnedRecords, sessionIds } from "./owned-records.ts";

const numRuns = { few: 30, many: 500 }[inject("trials")];

const storages: [name: string, create: () => StorageDriver][] = [
  ["InMemoryStorage", () => new InMemoryStorage()],
  ["SqliteStorage", () => new SqliteStorage(":memory:")],
];

// Names that keys encode, or that look like another owner's part of a key.
const names = ["-", "~", "~a", "~-", "%2D", "%7Ea", "a", "A", "a/b", "a%2Fb", "-/a", "a/s", "é", "e\u0301", "..", "%"];
const tenantId = fc.constantFrom(undefined, "-", "~a", "%2D", "a", "a/b");
const userId = fc.oneof(
  fc.constantFrom(undefined, ...names),
  fc.string({ minLength: 1, maxLength: 4, unit: "grapheme" }),
);
const verified = fc.constantFrom(undefined, true, false);
// Of few names, so that owners often differ in one thing alone.
const owners = fc.tuple(fc.tuple(tenantId, tenantId), fc.tuple(userId, userId, userId)).chain(([tenants, users]) => {
  const owner = fc.record({
    tenantId: fc.constantFrom(...tenants),
    userId: fc.constantFrom(...users, `${users[0]}/s`),
    verified,
  });
  return fc.array(owner, { minLength: 6, maxLength: 6 });
});
const sessionId = fc.constantFrom(...sessionIds);
const operation = fc.constantFrom(...operations);
const steps = fc.array(fc.record({ operation, owner: fc.nat(5), sessionId }), { minLength: 1, maxLength: 40 });

describe.each(storages)("owners over %s", (_, create) => {
  it("find what they have written and nothing of another owner, whatever their names [session.per-owner] [session.unverified] [memory.by-id]", async () => {
    await fc.assert(
      fc.asyncProperty(owners, steps, async (all, taken) => {
        const storage = create();
        const records = new OwnedRecords(storage);
        for (const { owner: index, ...step } of taken) await records.take(all[index] ?? {}, step);

        for (const each of all) await expect(records.check(each)).resolves.toBeUndefined();
        await expect(records.checkById()).resolves.toBeUndefined();
        await storage.close();
      }),
      { numRuns },
    );
  });
});
