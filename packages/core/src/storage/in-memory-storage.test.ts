import { describe, expect, it } from "vitest";
import { checkConformance } from "../testing/conformance/check-conformance.ts";
import { storageAppendCases } from "../testing/conformance/storage-append-cases.ts";
import { storageCompareAndSetCases } from "../testing/conformance/storage-compare-and-set-cases.ts";
import { storageDriverCases, storagePingCases } from "../testing/conformance/storage-driver-cases.ts";
import { storageListOptionsCases } from "../testing/conformance/storage-list-cases.ts";
import { storageTransactionCases } from "../testing/conformance/storage-transaction-cases.ts";
import { BoundedStorage } from "./bounded-storage.ts";
import { InMemoryStorage } from "./in-memory-storage.ts";

const drivers: [name: string, create: () => InMemoryStorage | BoundedStorage][] = [
  ["InMemoryStorage", () => new InMemoryStorage()],
  ["BoundedStorage", () => new BoundedStorage()],
];

describe.each(drivers)(
  "%s [storage.get] [storage.set] [storage.delete] [storage.list] [storage.close] [storage.in-memory]",
  (_name, create) => {
    checkConformance(it, storageDriverCases, { create });
  },
);

describe.each(drivers)("%s with its optional members", (_name, create) => {
  checkConformance(it, storageListOptionsCases, { create });
  checkConformance(it, storageAppendCases, { create });
  checkConformance(it, storageCompareAndSetCases, { create });
  checkConformance(it, storageTransactionCases, { create });
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
});
