import { assert, rejectsWith } from "./assert.ts";
import type { Json } from "../../sessions/storage/json.ts";
import type { StorageDriver } from "../../sessions/storage/storage-driver.ts";
import type { ConformanceCases } from "./check-conformance.ts";

/** A `StorageDriver` with the optional method `transaction`: subject of `storageTransactionCases`. */
export type TransactingStorage = StorageDriver & Required<Pick<StorageDriver, "transaction">>;

/** Conformance suite for a `StorageDriver` with `transaction`. */
export const storageTransactionCases = {
  "applies every write, in any namespace": async (driver) => {
    await driver.transaction([
      { namespace: "ns", key: "a", value: 1 },
      { namespace: "other", key: "a", value: { b: 2 } },
    ]);

    assert.equal(await driver.get("ns", "a"), 1);
    assert.deepEqual(await driver.get("other", "a"), { b: 2 });
  },
  "applies writes in order": async (driver) => {
    await driver.transaction([
      { namespace: "ns", key: "a", value: 1 },
      { namespace: "ns", key: "a", value: 2 },
      { namespace: "ns", key: "b", value: 1 },
      { namespace: "ns", key: "b", value: null },
    ]);

    assert.deepEqual(await driver.list("ns"), [{ key: "a", value: 2 }]);
  },
  "applies a second transaction to the records of the first": async (driver) => {
    const write = async (...values: (number | null)[]): Promise<void> =>
      await driver.transaction(values.map((value, index) => ({ namespace: "ns", key: `k${index}`, value })));
    await write(1, 2, 3);
    await write(null, 4);
    await write(5, null);

    assert.deepEqual(await driver.list("ns"), [
      { key: "k0", value: 5 },
      { key: "k2", value: 3 },
    ]);
  },
  "applies five hundred writes": async (driver) => {
    const keys = Array.from({ length: 500 }, (_, index) => `k${String(index).padStart(3, "0")}`);
    await driver.transaction(keys.map((key) => ({ namespace: "ns", key, value: key })));

    assert.deepEqual(
      await driver.list("ns"),
      keys.map((key) => ({ key, value: key })),
    );
    await driver.transaction(keys.map((key) => ({ namespace: "ns", key, value: null })));
    assert.deepEqual(await driver.list("ns"), []);
  },
  "applies one whole transaction after another when several write the same records": async (driver) => {
    const keys = ["a", "b", "c", "😀"];
    const write = async (value: number): Promise<void> => {
      const ordered = value % 2 === 0 ? keys : keys.toReversed();
      await driver.transaction(ordered.map((key) => ({ namespace: "ns", key, value })));
    };
    await Promise.all(Array.from({ length: 20 }, async (_, value) => await write(value)));

    const stored = (await driver.list("ns")).map(({ value }) => value);
    assert.equal(stored.length, keys.length);
    assert.equal(new Set(stored).size, 1, JSON.stringify(stored));
  },
  "deletes a record with a write of null": async (driver) => {
    await driver.set("ns", "gone", 1);
    await driver.transaction([
      { namespace: "ns", key: "gone", value: null },
      { namespace: "ns", key: "absent", value: null },
    ]);

    assert.deepEqual(await driver.list("ns"), []);
  },
  "applies no write when one is invalid": async (driver) => {
    await driver.set("ns", "a", "old");
    for (const bad of [
      { key: "b", value: NaN },
      { key: "b", value: [1n] as unknown as Json },
      { key: "", value: 1 },
    ]) {
      const writes = [
        { namespace: "ns", key: "a", value: "new" },
        { namespace: "ns", ...bad },
      ];
      await rejectsWith(driver.transaction(writes), "invalid_value");
    }

    assert.deepEqual(await driver.list("ns"), [{ key: "a", value: "old" }]);
  },
  "accepts an empty array of writes": async (driver) => {
    await assert.doesNotReject(driver.transaction([]));
  },
  "writes the values as they were at the call": async (driver) => {
    const value = { list: [1] };
    const written = driver.transaction([{ namespace: "ns", key: "a", value }]);
    value.list.push(2);
    await written;

    assert.deepEqual(await driver.get("ns", "a"), { list: [1] });
  },
  "shows all of a transaction or nothing of it": async (driver) => {
    const write = async (value: number): Promise<void> =>
      await driver.transaction(["a", "b", "c"].map((key) => ({ namespace: "ns", key, value })));
    const listings = Array.from({ length: 20 }, async (_, value) => {
      const written = write(value);
      const seen = (await driver.list("ns")).map((entry) => entry.value);
      await written;
      return seen;
    });

    for (const seen of await Promise.all(listings)) {
      const isWhole = seen.length === 3 && new Set(seen).size === 1;
      assert.ok(isWhole || seen.length === 0, JSON.stringify(seen));
    }
  },
} satisfies ConformanceCases<TransactingStorage>;
