import { assert } from "./assert.ts";
import type { StorageDriver } from "../../storage/storage-driver.ts";
import type { ConformanceCases } from "./check-conformance.ts";
import { rejectsWith } from "./rejects-with.ts";

/** What a `StorageDriver` promises of its life and of what it has. */
export const storageLifeCases = {
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
  "has each optional member whole or not at all": async (driver) => {
    for (const call of optionalCalls(driver)) await assert.doesNotReject(async () => await call());
  },
} satisfies ConformanceCases<StorageDriver>;

/** One plain call of each optional member that the driver says it has. */
function optionalCalls(driver: StorageDriver): (() => Promise<unknown>)[] {
  const calls = {
    append: async () => await driver.append?.("optional", "a/", 1),
    compareAndSet: async () => await driver.compareAndSet?.("optional", "k", null, 1),
    ping: async () => await driver.ping?.(),
    transaction: async () => await driver.transaction?.([{ namespace: "optional", key: "t", value: 1 }]),
  };
  return Object.entries(calls).flatMap(([name, call]) => (name in driver ? [call] : []));
}
