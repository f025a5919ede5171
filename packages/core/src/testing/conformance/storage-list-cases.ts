import { assert } from "./assert.ts";
import type { StorageDriver } from "../../storage/storage-driver.ts";
import type { ConformanceCases } from "./check-conformance.ts";

/** Characters that mean something in the patterns of one database or another. */
const marks = ["%", "_", "*", "?", "[", "]", "^", "$", ".", "\\", "'", '"', "(", "{", "|", "+", "😀"];

/** Ordered by bytes. UTF-16 would put the last one before the two that precede it. */
export const keysByBytes = [
  "\x01",
  "!",
  "/",
  "0",
  "10",
  "9",
  "A",
  "B",
  "_",
  "a",
  "aa",
  "b",
  "é",
  "\ue000",
  "\uffff",
  "😀",
];

/** The keys of a listing. */
export async function keysOf(listing: Promise<{ key: string }[]>): Promise<string[]> {
  return (await listing).map(({ key }) => key);
}

/** What a `StorageDriver` promises of listings. */
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
  "lists only what begins with the prefix": async (driver) => {
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
  "takes an empty prefix for none": async (driver) => {
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
  "lists nothing where nothing is": async (driver) => {
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
