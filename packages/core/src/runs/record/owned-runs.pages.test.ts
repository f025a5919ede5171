import { describe, expect, it } from "vitest";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { ownerKey } from "../../sessions/storage/owner-key.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import type { StorageDriver } from "../../sessions/storage/storage-driver.ts";
import { RemoteStorage } from "../../sessions/storage/test/remote-storage.ts";
import { groupsOf, isEntryOf, listOwned } from "./list-runs.ts";
import type { OwnedRange } from "./list-runs.ts";
import { placeOf, runGroups } from "./run-keys.ts";
import type { RunGroup } from "./run-keys.ts";
import { newRecord } from "./test/run-records.ts";

const owner = ownerKey({ tenantId: "t", userId: "ada" });
/** The place of a run by the time of its creation. */
const placeAt = (createdAt: number): string => placeOf({ createdAt, runId: `r${createdAt}` });

/** Storage with entries of these groups, each by the times of creation. */
async function listsOf(groups: Partial<Record<RunGroup, number[]>>): Promise<InMemoryStorage> {
  const storage = new InMemoryStorage();
  for (const [group, times] of Object.entries(groups)) {
    for (const time of times) await storage.set("run-by", `t/ada/${group}/${placeAt(time)}`, { v: 1 });
  }
  for (const other of ["t/adam", "-/ada", "t/~ada"])
    await storage.set("run-by", `${other}/open/${placeAt(5)}`, { v: 1 });
  return storage;
}

/** Reads the pages of a list, each entry as its group and run. */
async function pagesOf(driver: StorageDriver, range: Partial<OwnedRange> = {}): Promise<string[][]> {
  const pages = await Array.fromAsync(
    listOwned(driver, { owner, groups: runGroups, after: undefined, pageSize: 2, ...range }),
  );
  return pages.map((page) => page.map(({ group, runId }) => `${group} ${runId}`));
}

describe("groupsOf", () => {
  it.each([
    [undefined, ["open", "completed", "error", "cancelled"]],
    ["queued", ["open"]],
    ["running", ["open"]],
    ["waiting", ["open"]],
    ["completed", ["open", "completed"]],
    ["error", ["open", "error"]],
    ["cancelled", ["open", "cancelled"]],
  ] as const)("has for the status %j the groups %j", (status, groups) => {
    expect(groupsOf(status)).toEqual(groups);
  });
});

describe("listOwned", () => {
  const groups = { open: [9, 3, 2, 1], completed: [8, 7, 6], error: [5], cancelled: [] };

  it("ends each page at the first end of a full page of a group, whichever group that is", async () => {
    const storage = await listsOf(groups);
    expect(await pagesOf(storage)).toEqual([
      ["open r9", "completed r8", "completed r7"],
      ["completed r6", "error r5", "open r3", "open r2"],
      ["open r1"],
    ]);
    expect(await pagesOf(await listsOf({ open: [8, 7, 6], error: [9, 5, 4] }))).toEqual([
      ["error r9", "open r8", "open r7"],
      ["open r6", "error r5", "error r4"],
      [],
    ]);
  });

  it("begins behind a place, and reads the given groups alone", async () => {
    const storage = await listsOf(groups);
    expect(await pagesOf(storage, { after: placeAt(6), pageSize: 10 })).toEqual([
      ["error r5", "open r3", "open r2", "open r1"],
    ]);
    expect(await pagesOf(storage, { groups: ["open", "error"], pageSize: 10 })).toEqual([
      ["open r9", "error r5", "open r3", "open r2", "open r1"],
    ]);
    expect(await pagesOf(storage, { groups: [] })).toEqual([[]]);
    expect(await pagesOf(storage, { owner: ownerKey({ userId: "ada" }) })).toEqual([["open r5"]]);
  });

  it("has the entry of a run's end where it is in two groups, whole", async () => {
    const storage = await listsOf({ open: [4], completed: [4] });
    const range = { owner, groups: runGroups, after: undefined, pageSize: 2 };
    expect(await Array.fromAsync(listOwned(storage, range))).toEqual([
      [{ key: `t/ada/completed/${placeAt(4)}`, group: "completed", runId: "r4", place: placeAt(4) }],
    ]);
  });

  it("reads the open runs before all others, with one request for these", async () => {
    const storage = await listsOf({ open: [4, 3, 2] });
    const asked: unknown[] = [];
    const listMany: StorageDriver["listMany"] = async (listings) => {
      asked.push(listings);
      return await storage.listMany(listings);
    };
    await pagesOf(new RemoteStorage({ listMany }, storage).driver);
    const listing = (group: string, after?: string) => {
      const prefix = `t/ada/${group}/`;
      return { namespace: "run-by", prefix, limit: 2, ...(after !== undefined && { after: prefix + after }) };
    };
    const round = (after?: string) => [
      [listing("open", after)],
      [listing("completed", after), listing("error", after), listing("cancelled", after)],
    ];
    expect(asked).toEqual([...round(), ...round(placeAt(3))]);
  });

  it("has each run once where a driver ignores the place and the limit", async () => {
    const storage = await listsOf(groups);
    const list = async (namespace: string, prefix?: string) => await storage.list(namespace, prefix);
    const { driver } = new RemoteStorage({ list, listMany: undefined }, storage);
    const pages = await pagesOf(driver);
    expect(pages.flat()).toEqual([9, 8, 7, 6, 5, 3, 2, 1].map((time) => expect.stringMatching(` r${time}$`)));
  });

  it.each(["open", "completed", "cancelled"])("rejects when the list of the group %s cannot be read", async (group) => {
    const storage = await listsOf(groups);
    const failure = new TroupeError("storage_unavailable", "Away.");
    const list: StorageDriver["list"] = async (namespace, prefix, options) => {
      if (prefix === `t/ada/${group}/`) throw failure;
      return await storage.list(namespace, prefix, options);
    };
    const { driver } = new RemoteStorage({ list, listMany: undefined }, storage);
    await expect(pagesOf(driver)).rejects.toBe(failure);
  });
});

describe("isEntryOf", () => {
  const record = newRecord({ runId: "r4", createdAt: 4, owner: { tenantId: "t", userId: "ada" } });
  it.each([
    ["its own", {}, true],
    ["another time", { createdAt: 5 }, false],
    ["another id", { runId: "r5" }, false],
    ["another user", { owner: { tenantId: "t", userId: "bob" } }, false],
    ["another tenant", { owner: { userId: "ada" } }, false],
    ["a claim of the user", { owner: { tenantId: "t", userId: "ada", verified: false } }, false],
    ["no user", { owner: { tenantId: "t" } }, false],
  ])("tells if an entry is that of a record with %s: %s %s", (_what, change, isOwn) => {
    for (const group of runGroups) {
      const entry = { key: `t/ada/${group}/${placeAt(4)}`, group, runId: "r4", place: placeAt(4) };
      expect(isEntryOf(entry, { ...record, ...change })).toBe(isOwn);
    }
  });
});
