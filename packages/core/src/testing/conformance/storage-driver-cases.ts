import { storageKeyCases, storageRecordCases } from "./storage-record-cases.ts";
import { storageListCases } from "./storage-list-cases.ts";
import { storageValueCases } from "./storage-value-cases.ts";
import { assert, rejectsWith } from "./assert.ts";
import type { StorageDriver } from "../../sessions/storage/storage-driver.ts";
import type { ConformanceCases } from "./check-conformance.ts";

/** Cases of `storageDriverCases` for `close` and for optional methods. */
const lifeCases = {
  "closes twice": async (driver) => {
    await driver.set("ns", "k", 1);
    await driver.close();

    await assert.doesNotReject(driver.close());
  },
  "refuses every call after it was closed": async (driver) => {
    await driver.set("ns", "k", 1);
    await driver.close();

    await rejectsWith(driver.get("ns", "k"), "storage_unavailable");
    await rejectsWith(driver.set("ns", "k", 1), "storage_unavailable");
    await rejectsWith(driver.delete("ns", "k"), "storage_unavailable");
    await rejectsWith(driver.list("ns"), "storage_unavailable");
    for (const call of optionalCalls(driver)) await rejectsWith(call(), "storage_unavailable");
  },
  "implements each optional member that it has": async (driver) => {
    for (const call of optionalCalls(driver)) await assert.doesNotReject(async () => await call());
  },
} satisfies ConformanceCases<StorageDriver>;

/**
 * Conformance suite for every `StorageDriver`. The subject is an empty storage. Optional methods have separate suites:
 * `storageListOptionsCases`, `storageListManyCases`, `storageAppendCases`, `storageCompareAndSetCases`,
 * `storageInsertAllCases`, `storageTransactionCases`, `storageWatchCases`, `storagePingCases`.
 */
export const storageDriverCases = {
  ...storageRecordCases,
  ...storageKeyCases,
  ...storageValueCases,
  ...storageListCases,
  ...lifeCases,
};

/** Returns a call of each optional method that the driver has. */
function optionalCalls(driver: StorageDriver): (() => Promise<unknown>)[] {
  const calls = {
    append: async () => await driver.append?.("optional", "a/", 1),
    compareAndSet: async () => await driver.compareAndSet?.("optional", "k", null, 1),
    insertAll: async () => await driver.insertAll?.([{ namespace: "optional", key: "i", value: 1 }]),
    listMany: async () => await driver.listMany?.([{ namespace: "optional", prefix: "", limit: 1 }]),
    ping: async () => await driver.ping?.(),
    transaction: async () => await driver.transaction?.([{ namespace: "optional", key: "t", value: 1 }]),
    // `watch` returns no promise, so it throws instead of rejecting.
    watch: async () => driver.watch?.("optional", () => {})(),
  };
  return Object.entries(calls).flatMap(([name, call]) => (name in driver ? [call] : []));
}

/** A `StorageDriver` with the optional method `ping`: subject of `storagePingCases`. */
export type PingingStorage = StorageDriver & Required<Pick<StorageDriver, "ping">>;

/** Conformance suite for a `StorageDriver` with `ping`. */
export const storagePingCases = {
  "answers a ping before and after it is used": async (driver) => {
    await assert.doesNotReject(driver.ping());
    await driver.set("ns", "k", 1);
    await assert.doesNotReject(driver.ping());
  },
  "stores no record for a ping": async (driver) => {
    await driver.ping();

    for (const namespace of ["ns", "ping", "health", "sessions", "turns", "locks"])
      assert.deepEqual(await driver.list(namespace), []);
  },
} satisfies ConformanceCases<PingingStorage>;
