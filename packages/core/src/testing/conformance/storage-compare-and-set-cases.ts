import { assert, rejectsWith } from "./assert.ts";
import type { Json } from "../../sessions/storage/json.ts";
import type { StorageDriver } from "../../sessions/storage/storage-driver.ts";
import type { ConformanceCases } from "./check-conformance.ts";

/** A `StorageDriver` with the optional method `compareAndSet`: subject of `storageCompareAndSetCases`. */
export type ComparingStorage = StorageDriver & Required<Pick<StorageDriver, "compareAndSet">>;

/** Conformance suite for a `StorageDriver` with `compareAndSet`. */
export const storageCompareAndSetCases = {
  "sets a record that is as expected, and returns true": async (driver) => {
    await driver.set("ns", "k", 1);

    assert.equal(await driver.compareAndSet("ns", "k", 1, { a: 2 }), true);
    assert.deepEqual(await driver.get("ns", "k"), { a: 2 });
  },
  "sets a record again and again": async (driver) => {
    let stored: Json | null = null;
    for (const next of [1, { a: [2] }, "three", null, 4, 4]) {
      assert.equal(await driver.compareAndSet("ns", "k", stored, next), true, JSON.stringify(next));
      assert.deepEqual(await driver.get("ns", "k"), next);
      stored = next;
    }
    assert.equal(await driver.compareAndSet("ns", "k", 1, 5), false);
  },
  "does not change a record that is not as expected": async (driver) => {
    await driver.set("ns", "k", { a: 1 });

    for (const expected of [null, 1, {}, { a: 1, b: 1 }, { a: "1" }, [1], '{"a":1}', false])
      assert.equal(await driver.compareAndSet("ns", "k", expected, 3), false, JSON.stringify(expected));
    assert.deepEqual(await driver.get("ns", "k"), { a: 1 });
  },
  "sets a record that is expected to be absent": async (driver) => {
    assert.equal(await driver.compareAndSet("ns", "k", 1, 2), false);
    assert.equal(await driver.compareAndSet("ns", "k", null, 2), true);
    assert.equal(await driver.get("ns", "k"), 2);
    assert.equal(await driver.compareAndSet("ns", "k", null, 3), false);
  },
  "deletes by comparison": async (driver) => {
    await driver.set("ns", "k", 1);

    assert.equal(await driver.compareAndSet("ns", "k", 1, null), true);
    assert.deepEqual(await driver.list("ns"), []);
    assert.equal(await driver.compareAndSet("ns", "k", null, null), true);
  },
  "ignores the order of object members": async (driver) => {
    await driver.set("ns", "k", { a: 1, b: { c: [1], d: 2 } });

    assert.equal(await driver.compareAndSet("ns", "k", { b: { d: 2, c: [1] }, a: 1 }, 2), true);
  },
  "respects the order of an array": async (driver) => {
    await driver.set("ns", "k", [1, 2]);

    assert.equal(await driver.compareAndSet("ns", "k", [2, 1], 3), false);
  },
  "distinguishes false, 0 and an empty string from absent": async (driver) => {
    for (const value of [false, 0, ""]) {
      await driver.set("ns", "k", value);
      assert.equal(await driver.compareAndSet("ns", "k", null, 1), false);
      assert.equal(await driver.compareAndSet("ns", "k", value, 1), true);
    }
  },
  "lets exactly one of many concurrent creations win": async (driver) => {
    const won = await race(driver, null);

    assert.equal(won.filter(Boolean).length, 1);
    assert.equal(await driver.get("ns", "k"), won.indexOf(true) + 100);
  },
  "lets exactly one of many concurrent replacements win": async (driver) => {
    await driver.set("ns", "k", { v: 1 });
    const won = await race(driver, { v: 1 });

    assert.equal(won.filter(Boolean).length, 1);
    assert.equal(await driver.get("ns", "k"), won.indexOf(true) + 100);
  },
  "refuses to compare or set values that are not JSON": async (driver) => {
    await driver.set("ns", "k", 1);

    await rejectsWith(driver.compareAndSet("ns", "k", 1, NaN), "invalid_value");
    await rejectsWith(driver.compareAndSet("ns", "k", undefined as unknown as Json, 2), "invalid_value");
    await rejectsWith(driver.compareAndSet("ns", "\ud800", null, 2), "invalid_value");
    assert.deepEqual(await driver.list("ns"), [{ key: "k", value: 1 }]);
  },
} satisfies ConformanceCases<ComparingStorage>;

async function race(driver: ComparingStorage, expected: Json | null): Promise<boolean[]> {
  return await Promise.all(
    Array.from({ length: 20 }, async (_, index) => await driver.compareAndSet("ns", "k", expected, index + 100)),
  );
}
