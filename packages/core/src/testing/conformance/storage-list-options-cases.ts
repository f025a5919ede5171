import { assert } from "./assert.ts";
import type { ListOptions, StorageDriver } from "../../storage/storage-driver.ts";
import { compareUtf8 } from "../../util/compare-utf8.ts";
import type { ConformanceCases } from "./check-conformance.ts";
import { rejectsWith } from "./rejects-with.ts";
import { keysByBytes, keysOf } from "./storage-list-cases.ts";

/** What a `StorageDriver` promises that heeds the `options` of `list`. */
export const storageListOptionsCases = {
  "gives at most as many entries as the limit says": async (driver) => {
    await fill(driver, ["p/1", "p/2", "p/3"]);

    assert.deepEqual(await keysOf(driver.list("ns", "p/", { limit: 2 })), ["p/1", "p/2"]);
    assert.deepEqual(await keysOf(driver.list("ns", "p/", { limit: 9 })), ["p/1", "p/2", "p/3"]);
  },
  "gives the last key first when reversed": async (driver) => {
    await fill(driver, keysByBytes);

    assert.deepEqual(await keysOf(driver.list("ns", "", { reverse: true })), keysByBytes.toReversed());
    assert.deepEqual(await keysOf(driver.list("ns", "", { reverse: false })), keysByBytes);
  },
  "goes on behind a key, which need not exist": async (driver) => {
    await fill(driver, ["p/1", "p/2", "p/3"]);

    assert.deepEqual(await keysOf(driver.list("ns", "p/", { after: "p/2" })), ["p/3"]);
    assert.deepEqual(await keysOf(driver.list("ns", "p/", { after: "p/10" })), ["p/2", "p/3"]);
    assert.deepEqual(await keysOf(driver.list("ns", "p/", { after: "a" })), ["p/1", "p/2", "p/3"]);
    assert.deepEqual(await driver.list("ns", "p/", { after: "z" }), []);
  },
  "goes on before a key when reversed": async (driver) => {
    await fill(driver, ["p/1", "p/2", "p/3"]);

    assert.deepEqual(await keysOf(driver.list("ns", "p/", { after: "p/3", reverse: true })), ["p/2", "p/1"]);
    assert.deepEqual(await keysOf(driver.list("ns", "p/", { after: "p/20", reverse: true })), ["p/2", "p/1"]);
    assert.deepEqual(await driver.list("ns", "p/", { after: "p/1", reverse: true }), []);
  },
  "combines prefix, limit, direction and place as sorting everything would": async (driver) => {
    const keys = [...keysByBytes, "a/", "a/1", "a/2", "a/😀"];
    await fill(driver, keys);

    for (const prefix of ["", "a", "a/", "😀", "none"]) {
      for (const options of combinations([...keys, "a/10", "zz"])) {
        const told = `${prefix} ${JSON.stringify(options)}`;
        assert.deepEqual(await keysOf(driver.list("ns", prefix, options)), naive(keys, prefix, options), told);
      }
    }
  },
  "refuses a limit that is no whole number from 1 upwards": async (driver) => {
    for (const limit of [0, -1, 1.5, NaN, Infinity])
      await rejectsWith(driver.list("ns", "", { limit }), "invalid_value");
  },
  "refuses a place that is no key": async (driver) => {
    for (const after of ["\ud800", "a\0b", "x".repeat(1025)])
      await rejectsWith(driver.list("ns", "", { after }), "invalid_value");
  },
} satisfies ConformanceCases<StorageDriver>;

async function fill(driver: StorageDriver, keys: readonly string[]): Promise<void> {
  for (const key of keys) await driver.set("ns", key, 1);
  await driver.set("other", "p/2", 1);
}

function combinations(places: readonly string[]): ListOptions[] {
  return [false, true].flatMap((reverse) =>
    [1, 3, 100].flatMap((limit) => [{ limit, reverse }, ...places.map((after) => ({ limit, reverse, after }))]),
  );
}

function naive(keys: readonly string[], prefix: string, { limit, reverse = false, after }: ListOptions): string[] {
  const sign = reverse ? -1 : 1;
  return keys
    .filter((key) => key.startsWith(prefix) && (after === undefined || sign * compareUtf8(key, after) > 0))
    .toSorted((one, other) => sign * compareUtf8(one, other))
    .slice(0, limit);
}
