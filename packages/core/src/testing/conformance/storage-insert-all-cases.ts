import { assert, rejectsWith } from "./assert.ts";
import type { Json } from "../../sessions/storage/json.ts";
import type { StorageDriver } from "../../sessions/storage/storage-driver.ts";
import type { ConformanceCases } from "./check-conformance.ts";

/** A `StorageDriver` with the optional method `insertAll`: subject of `storageInsertAllCases`. */
export type InsertingStorage = StorageDriver & Required<Pick<StorageDriver, "insertAll">>;

/** Conformance suite for a `StorageDriver` with `insertAll`. */
export const storageInsertAllCases = {
  "inserts records into any namespace": async (driver) => {
    const inserted = await driver.insertAll([
      { namespace: "ns", key: "a", value: 1 },
      { namespace: "other", key: "a", value: { b: [2, null] } },
    ]);

    assert.deepEqual(inserted, [true, true]);
    assert.equal(await driver.get("ns", "a"), 1);
    assert.deepEqual(await driver.get("other", "a"), { b: [2, null] });
  },
  "inserts each record on its own, and says in their order which it inserted": async (driver) => {
    await driver.set("ns", "b", "old");
    await driver.set("ns", "d", "old");

    assert.deepEqual(await insert(driver, ["e", "b", "a", "d", "c"]), [true, false, true, false, true]);
    assert.deepEqual(await valuesOf(driver), { a: "a", b: "old", c: "c", d: "old", e: "e" });
  },
  "inserts the first of several records with one key": async (driver) => {
    const writes = [1, 2, 3].map((value) => ({ namespace: "ns", key: "k", value }));

    assert.deepEqual(await driver.insertAll(writes), [true, false, false]);
    assert.equal(await driver.get("ns", "k"), 1);
    assert.deepEqual(await driver.insertAll(writes.toReversed()), [false, false, false]);
    assert.equal(await driver.get("ns", "k"), 1);
  },
  "inserts again what was deleted": async (driver) => {
    await insert(driver, ["a"]);
    await driver.delete("ns", "a");

    assert.deepEqual(await insert(driver, ["a"]), [true]);
  },
  "does not insert where false, 0 or an empty string is stored": async (driver) => {
    for (const value of [false, 0, ""]) await driver.set("ns", String(value) || "empty", value);

    assert.deepEqual(await insert(driver, ["false", "0", "empty"]), [false, false, false]);
  },
  "distinguishes keys that are nearly equal": async (driver) => {
    const keys = ["k", "K", "k ", "é", "e\u0301", "😀", "\uffff", "%", "k/000000000001", "__proto__"];

    assert.deepEqual(
      await insert(driver, keys),
      keys.map(() => true),
    );
    for (const key of keys) assert.equal(await driver.get("ns", key), key);
  },
  "accepts an empty array": async (driver) => {
    assert.deepEqual(await driver.insertAll([]), []);
  },
  "inserts a thousand records at once": async (driver) => {
    const keys = Array.from({ length: 1000 }, (_, index) => `k${String(index).padStart(4, "0")}`);
    const isOld = (_key: string, index: number): boolean => index % 10 === 3;
    await insert(driver, keys.filter(isOld));

    assert.deepEqual(
      await insert(driver, keys),
      keys.map((key, index) => !isOld(key, index)),
    );
    assert.deepEqual(
      (await driver.list("ns")).map(({ key }) => key),
      keys,
    );
  },
  "inserts nothing when a key or a value is invalid": async (driver) => {
    for (const bad of [
      { namespace: "ns", key: "b", value: NaN },
      { namespace: "ns", key: "b", value: [1n] as unknown as Json },
      { namespace: "ns", key: "b", value: null },
      { namespace: "ns", key: "b", value: undefined as unknown as Json },
      { namespace: "ns", key: "", value: 1 },
      { namespace: "a\0", key: "b", value: 1 },
      { namespace: "ns", key: "\ud800", value: 1 },
    ]) {
      await rejectsWith(driver.insertAll([{ namespace: "ns", key: "a", value: 1 }, bad]), "invalid_value");
    }

    assert.deepEqual(await driver.list("ns"), []);
  },
  "inserts the values as they were at the call": async (driver) => {
    const value = { list: [1] };
    const writes = [{ namespace: "ns", key: "a", value }];
    const inserted = driver.insertAll(writes);
    value.list.push(2);
    writes.push({ namespace: "ns", key: "b", value });
    assert.deepEqual(await inserted, [true]);

    assert.deepEqual(await driver.list("ns"), [{ key: "a", value: { list: [1] } }]);
  },
  "lets exactly one of many concurrent calls insert each record": async (driver) => {
    const keys = Array.from({ length: 20 }, (_, index) => `k${index}`);
    const calls = Array.from({ length: 20 }, async (_, call) => {
      const ordered = call % 2 === 0 ? keys : keys.toReversed();
      const inserted = await driver.insertAll(ordered.map((key) => ({ namespace: "ns", key, value: call })));
      return ordered.filter((_key, index) => inserted[index]).map((key) => ({ key, call }));
    });
    const winners = (await Promise.all(calls)).flat();

    assert.equal(winners.length, keys.length);
    for (const { key, call } of winners) assert.equal(await driver.get("ns", key), call);
  },
} satisfies ConformanceCases<InsertingStorage>;

/** Inserts records whose values are their keys. */
async function insert(driver: InsertingStorage, keys: readonly string[]): Promise<boolean[]> {
  return await driver.insertAll(keys.map((key) => ({ namespace: "ns", key, value: key })));
}

async function valuesOf(driver: StorageDriver): Promise<Record<string, Json>> {
  return Object.fromEntries((await driver.list("ns")).map(({ key, value }) => [key, value]));
}
