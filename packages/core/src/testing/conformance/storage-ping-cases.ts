import { assert } from "./assert.ts";
import type { StorageDriver } from "../../storage/storage-driver.ts";
import type { ConformanceCases } from "./check-conformance.ts";

/** A driver that says whether it can be used. */
export type PingingStorage = StorageDriver & Required<Pick<StorageDriver, "ping">>;

/** What a `StorageDriver` promises that has `ping`. */
export const storagePingCases = {
  "answers a ping before and after it is used": async (driver) => {
    await assert.doesNotReject(driver.ping());
    await driver.set("ns", "k", 1);
    await assert.doesNotReject(driver.ping());
  },
  "leaves no record behind from a ping": async (driver) => {
    await driver.ping();

    for (const namespace of ["ns", "ping", "health", "sessions", "turns", "locks"])
      assert.deepEqual(await driver.list(namespace), []);
  },
} satisfies ConformanceCases<PingingStorage>;
