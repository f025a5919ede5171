import { describe, expect, it } from "vitest";
import { checkConformance } from "../../testing/conformance/check-conformance.ts";
import { storageAppendCases } from "../../testing/conformance/storage-append-cases.ts";
import { storageCompareAndSetCases } from "../../testing/conformance/storage-compare-and-set-cases.ts";
import { storageInsertAllCases } from "../../testing/conformance/storage-insert-all-cases.ts";
import { storageDriverCases, storagePingCases } from "../../testing/conformance/storage-driver-cases.ts";
import { storageListManyCases } from "../../testing/conformance/storage-list-many-cases.ts";
import { storageListOptionsCases } from "../../testing/conformance/storage-list-cases.ts";
import { storageTransactionCases } from "../../testing/conformance/storage-transaction-cases.ts";
import { storageWatchCases } from "../../testing/conformance/storage-watch-cases.ts";
import { BoundedStorage } from "./bounded-storage.ts";
import { InMemoryStorage } from "./in-memory-storage.ts";

const drivers: [name: string, create: () => InMemoryStorage | BoundedStorage][] = [
  ["InMemoryStorage", () => new InMemoryStorage()],
  ["BoundedStorage", () => new BoundedStorage()],
];

describe.each(drivers)("%s", (_name, create) => {
  checkConformance(it, storageDriverCases, { create });

  it("returns the value that was set under namespace and key, or null [storage.get] [storage.set]", async () => {
    const driver = create();
    await driver.set("ns", "k", 1);
    await driver.set("ns", "k", { second: [0, false, ""] });
    await driver.set("ns2", "k", 0);

    expect(await driver.get("ns", "k")).toEqual({ second: [0, false, ""] });
    expect(await driver.get("ns2", "k")).toBe(0);
    expect([await driver.get("ns", "K"), await driver.get("ns3", "k")]).toEqual([null, null]);
  });

  it("deletes one key, and an absent one without an error [storage.delete]", async () => {
    const driver = create();
    for (const key of ["a", "b"]) await driver.set("ns", key, key);
    await driver.delete("ns", "a");
    await driver.delete("ns", "a");

    expect(await driver.list("ns")).toEqual([{ key: "b", value: "b" }]);
  });

  it("lists keys and values in the order of the keys, of one prefix when asked [storage.list]", async () => {
    const driver = create();
    for (const key of ["b", "a/2", "a", "a/1", "A/1"]) await driver.set("ns", key, key.length);
    const keys = (await driver.list("ns")).map(({ key }) => key);

    expect(keys).toEqual(["A/1", "a", "a/1", "a/2", "b"]);
    expect(await driver.list("ns", "a/")).toEqual([
      { key: "a/1", value: 3 },
      { key: "a/2", value: 3 },
    ]);
    expect(await driver.list("other")).toEqual([]);
  });

  it("refuses calls once it is closed [storage.close]", async () => {
    const driver = create();
    await driver.set("ns", "k", 1);
    await driver.close();

    for (const call of [driver.get("ns", "k"), driver.set("ns", "k", 2), driver.list("ns")])
      await expect(call).rejects.toMatchObject({ code: "storage_unavailable" });
  });
});

it("InMemoryStorage takes no argument, and shares nothing with another [storage.in-memory]", async () => {
  const [one, other] = [new InMemoryStorage(), new InMemoryStorage()];
  await one.set("ns", "k", 1);

  expect(InMemoryStorage.length).toBe(0);
  expect([await one.get("ns", "k"), await other.get("ns", "k")]).toEqual([1, null]);
});

describe.each(drivers)(
  "%s with its optional members [storage.insert-all] [storage.list-many] [storage.watch]",
  (_name, create) => {
    checkConformance(it, storageListOptionsCases, { create });
    checkConformance(it, storageListManyCases, { create });
    checkConformance(it, storageAppendCases, { create });
    checkConformance(it, storageCompareAndSetCases, { create });
    checkConformance(it, storageInsertAllCases, { create });
    checkConformance(it, storageTransactionCases, { create });
    checkConformance(it, storageWatchCases, { create });
    checkConformance(it, storagePingCases, { create });

    it("stores a copy of the value that compareAndSet writes", async () => {
      const [driver, value] = [create(), { list: [1] }];
      const set = driver.compareAndSet("ns", "k", null, value);
      value.list.push(2);
      await set;

      expect(await driver.get("ns", "k")).toEqual({ list: [1] });
    });

    it("reuses the highest number when its record was deleted", async () => {
      const driver = create();
      for (let seq = 1; seq <= 2; seq++) await driver.append("ns", "s/", seq);
      await driver.delete("ns", "s/000000000002");

      expect(await driver.append("ns", "s/", 2)).toEqual({ key: "s/000000000002", seq: 2 });
    });

    it("rejects a lease under a key that not every database can store", async () => {
      const driver = create();

      for (const key of ["", "a\0b", "\ud800", "x".repeat(1025)]) {
        await expect(driver.append("ns", "a/", 1, { ifHeld: { key, token: 1 } })).rejects.toMatchObject({
          code: "invalid_value",
        });
      }
      expect(await driver.list("ns")).toEqual([]);
    });
  },
);
