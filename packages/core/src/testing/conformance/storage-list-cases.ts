import { assert, rejectsWith } from "./assert.ts";
import type { StorageDriver, ListOptions } from "../../sessions/storage/storage-driver.ts";
import type { ConformanceCases } from "./check-conformance.ts";
import { compareUtf8 } from "../../base/util/compare-utf8.ts";

/** Characters with a meaning in the patterns of some databases. */
const marks = ["%", "_", "*", "?", "[", "]", "^", "$", ".", "\\", "'", '"', "(", "{", "|", "+", "😀"];

/** Keys sorted by their UTF-8 bytes. In UTF-16 the last key would come before the two preceding keys. */
const keysByBytes = ["\x01", "!", "/", "0", "10", "9", "A", "B", "_", "a", "aa", "b", "é", "\ue000", "\uffff", "😀"];

/** Returns the keys of a listing. */
async function keysOf(listing: Promise<{ key: string }[]>): Promise<string[]> {
  return (await listing).map(({ key }) => key);
}

/** Cases of `storageDriverCases` for `list` without options. */
export const storageListCases = {
  "lists in the order of the keys' bytes in UTF-8": async (driver) => {
    for (const key of keysByBytes.toReversed()) await driver.set("ns", key, 1);

    assert.deepEqual(await keysOf(driver.list("ns")), keysByBytes);
  },
  "lists each key with its value and nothing else": async (driver) => {
    await driver.set("ns", "a", { x: 1 });
    await driver.set("ns", "b", "text");

    assert.deepEqual(await driver.list("ns"), [
      { key: "a", value: { x: 1 } },
      { key: "b", value: "text" },
    ]);
  },
  "lists only keys that begin with the prefix": async (driver) => {
    for (const key of ["a", "a/", "a/1", "ab", "b/a/", "A/1"]) await driver.set("ns", key, 1);

    assert.deepEqual(await keysOf(driver.list("ns", "a/")), ["a/", "a/1"]);
    assert.deepEqual(await keysOf(driver.list("ns", "a")), ["a", "a/", "a/1", "ab"]);
    assert.deepEqual(await driver.list("ns", "zzz"), []);
  },
  "takes every character of a prefix literally": async (driver) => {
    for (const mark of marks) await driver.set("ns", `a${mark}b`, 1);
    await driver.set("ns", "axb", 1);

    for (const mark of marks) assert.deepEqual(await keysOf(driver.list("ns", `a${mark}`)), [`a${mark}b`]);
    assert.equal((await driver.list("ns", "a")).length, marks.length + 1);
  },
  "treats an empty prefix as none": async (driver) => {
    await driver.set("ns", "a", 1);

    assert.deepEqual(await keysOf(driver.list("ns", "")), ["a"]);
    assert.deepEqual(await keysOf(driver.list("ns", undefined)), ["a"]);
  },
  "lists one namespace alone": async (driver) => {
    await driver.set("ns", "a", 1);
    await driver.set("ns2", "b", 1);

    assert.deepEqual(await keysOf(driver.list("ns")), ["a"]);
    assert.deepEqual(await driver.list("n"), []);
  },
  "lists nothing in an empty namespace": async (driver) => {
    assert.deepEqual(await driver.list("ns"), []);
    await driver.set("ns", "a", 1);
    await driver.delete("ns", "a");

    assert.deepEqual(await driver.list("ns"), []);
  },
  "lists a thousand records": async (driver) => {
    const keys = Array.from({ length: 1000 }, (_, index) => `k/${String(index).padStart(4, "0")}`);
    for (const key of keys) await driver.set("ns", key, 1);

    assert.deepEqual(await keysOf(driver.list("ns", "k/")), keys);
  },
} satisfies ConformanceCases<StorageDriver>;

/** Conformance suite for a `StorageDriver` whose `list` supports the options `limit`, `reverse` and `after`. */
export const storageListOptionsCases = {
  "lists at most as many entries as the limit": async (driver) => {
    await fill(driver, ["p/1", "p/2", "p/3"]);

    assert.deepEqual(await keysOf(driver.list("ns", "p/", { limit: 2 })), ["p/1", "p/2"]);
    assert.deepEqual(await keysOf(driver.list("ns", "p/", { limit: 9 })), ["p/1", "p/2", "p/3"]);
  },
  "lists the last key first when reversed": async (driver) => {
    await fill(driver, keysByBytes);

    assert.deepEqual(await keysOf(driver.list("ns", "", { reverse: true })), keysByBytes.toReversed());
    assert.deepEqual(await keysOf(driver.list("ns", "", { reverse: false })), keysByBytes);
  },
  "lists the keys after a key, which need not exist": async (driver) => {
    await fill(driver, ["p/1", "p/2", "p/3"]);

    assert.deepEqual(await keysOf(driver.list("ns", "p/", { after: "p/2" })), ["p/3"]);
    assert.deepEqual(await keysOf(driver.list("ns", "p/", { after: "p/10" })), ["p/2", "p/3"]);
    assert.deepEqual(await keysOf(driver.list("ns", "p/", { after: "a" })), ["p/1", "p/2", "p/3"]);
    assert.deepEqual(await driver.list("ns", "p/", { after: "z" }), []);
  },
  "lists the keys before a key when reversed": async (driver) => {
    await fill(driver, ["p/1", "p/2", "p/3"]);

    assert.deepEqual(await keysOf(driver.list("ns", "p/", { after: "p/3", reverse: true })), ["p/2", "p/1"]);
    assert.deepEqual(await keysOf(driver.list("ns", "p/", { after: "p/20", reverse: true })), ["p/2", "p/1"]);
    assert.deepEqual(await driver.list("ns", "p/", { after: "p/1", reverse: true }), []);
  },
  "combines prefix, limit, reverse and after": async (driver) => {
    const keys = [...keysByBytes, "a/", "a/1", "a/2", "a/😀"];
    await fill(driver, keys);

    for (const prefix of ["", "a", "a/", "😀", "none"]) {
      for (const options of combinations([...keys, "a/10", "zz"])) {
        const told = `${prefix} ${JSON.stringify(options)}`;
        assert.deepEqual(await keysOf(driver.list("ns", prefix, options)), naive(keys, prefix, options), told);
      }
    }
  },
  "lists page after page, with nothing missing and nothing twice": async (driver) => {
    const keys = [
      ...Array.from({ length: 12 }, (_, index) => `p/${String(index).padStart(2, "0")}`),
      "p/é",
      "p/\uffff",
      "p/😀",
    ];
    await fill(driver, ["p", ...keys, "q/1"]);

    for (const reverse of [false, true]) {
      // All limits but 4 divide the number of keys, so that the last page is full and one more page is empty.
      for (const limit of [1, 3, 4, 5, 15]) {
        const listed = await allPages(driver, { limit, reverse });
        assert.deepEqual(listed, reverse ? keys.toReversed() : keys, `${limit} ${reverse}`);
      }
    }
  },
  "refuses a limit that is not a positive integer": async (driver) => {
    for (const limit of [0, -1, 1.5, NaN, Infinity])
      await rejectsWith(driver.list("ns", "", { limit }), "invalid_value");
  },
  "refuses an after that is not a key": async (driver) => {
    for (const after of ["\ud800", "a\0b", "x".repeat(1025)])
      await rejectsWith(driver.list("ns", "", { after }), "invalid_value");
  },
} satisfies ConformanceCases<StorageDriver>;

/** Lists the keys below `p/` page by page, until a page is not full. */
async function allPages(driver: StorageDriver, options: { limit: number; reverse: boolean }): Promise<string[]> {
  const listed: string[] = [];
  for (let isLast = false; !isLast;) {
    const after = listed.at(-1);
    const page = await keysOf(driver.list("ns", "p/", { ...options, ...(after !== undefined && { after }) }));
    listed.push(...page);
    isLast = page.length < options.limit;
  }
  return listed;
}

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
