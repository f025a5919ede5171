import { assert, rejectsWith } from "./assert.ts";
import type { Json } from "../../sessions/storage/json.ts";
import type { Listing, StorageDriver } from "../../sessions/storage/storage-driver.ts";
import type { ConformanceCases } from "./check-conformance.ts";

/** A `StorageDriver` with the optional method `listMany`: subject of `storageListManyCases`. */
export type ListingStorage = StorageDriver & Required<Pick<StorageDriver, "listMany">>;

/**
 * Keys that different string orders sort differently, here sorted by their UTF-8 bytes, and two keys that look like a
 * pattern.
 */
const keysByBytes = ["%", "A", "_", "a", "a/", "a/1", "a/2", "é", "\uffff", "😀"];

/** Conformance suite for a `StorageDriver` with `listMany`, whose `list` supports the options `limit` and `after`. */
export const storageListManyCases = {
  "returns the entries of each listing in the order of the listings": async (driver) => {
    await fill(driver, "ns", ["a/1", "a/2", "b/1"]);
    await fill(driver, "other", ["a/3"]);

    assert.deepEqual(await keysOf(driver, [all("ns", "b/"), all("other", "a/"), all("ns", "none"), all("ns", "a/")]), [
      ["b/1"],
      ["a/3"],
      [],
      ["a/1", "a/2"],
    ]);
  },
  "returns each key with its value and nothing else": async (driver) => {
    const values: Json[] = [{ b: [1, null], a: "é\0" }, 0, false, ""];
    for (const [index, value] of values.entries()) await driver.set("ns", `k${index}`, value);

    const entries = values.map((value, index) => ({ key: `k${index}`, value }));
    assert.deepEqual(await driver.listMany([all("ns", "k"), all("ns", "k2")]), [entries, entries.slice(2, 3)]);
  },
  "lists at most as many entries of each listing as its own limit": async (driver) => {
    await fill(driver, "ns", ["a/1", "a/2", "a/3", "b/1", "b/2"]);

    assert.deepEqual(
      await keysOf(driver, [
        { namespace: "ns", prefix: "a/", limit: 2 },
        { namespace: "ns", prefix: "b/", limit: 1 },
        { namespace: "ns", prefix: "a/", limit: 9 },
      ]),
      [["a/1", "a/2"], ["b/1"], ["a/1", "a/2", "a/3"]],
    );
  },
  "lists the keys of each listing after its own key, which need not exist": async (driver) => {
    await fill(driver, "ns", ["a/1", "a/2", "b/1", "b/2"]);

    assert.deepEqual(
      await keysOf(driver, [
        all("ns", "a/", "a/1"),
        all("ns", "b/", "b/10"),
        all("ns", "a/", "a"),
        all("ns", "a/", "a/2"),
        all("ns", "a/", "b/1"),
      ]),
      [["a/2"], ["b/2"], ["a/1", "a/2"], [], []],
    );
  },
  "lists the same as list does, whatever the prefix and the key": async (driver) => {
    await fill(driver, "ns", keysByBytes);
    const listings = ["", "a", "a/", "%", "_", "é", "😀", "none"].flatMap((prefix) =>
      [undefined, ...keysByBytes, "a/10", "zz"].map((after) => all("ns", prefix, after)),
    );
    const expected = await Promise.all(
      listings.map(async ({ namespace, prefix, ...options }) => await driver.list(namespace, prefix, options)),
    );

    assert.deepEqual(await driver.listMany(listings), expected);
    assert.deepEqual(
      expected[0]?.map(({ key }) => key),
      keysByBytes,
    );
  },
  "makes the same listing as often as it is asked for": async (driver) => {
    await fill(driver, "ns", ["a/1", "a/2"]);
    const first = { namespace: "ns", prefix: "a/", limit: 1 };

    assert.deepEqual(await keysOf(driver, [first, all("ns", "a/"), first]), [["a/1"], ["a/1", "a/2"], ["a/1"]]);
  },
  "accepts an empty array": async (driver) => {
    assert.deepEqual(await driver.listMany([]), []);
  },
  "makes five hundred listings at once": async (driver) => {
    const prefixes = Array.from({ length: 500 }, (_, index) => `k${String(index).padStart(3, "0")}/`);
    for (const prefix of prefixes) await fill(driver, "ns", [`${prefix}1`, `${prefix}2`]);

    assert.deepEqual(
      await keysOf(
        driver,
        prefixes.map((prefix, index) => all("ns", prefix, index % 2 === 0 ? `${prefix}1` : undefined)),
      ),
      prefixes.map((prefix, index) => (index % 2 === 0 ? [`${prefix}2`] : [`${prefix}1`, `${prefix}2`])),
    );
  },
  "shows what was written and deleted before the call": async (driver) => {
    await fill(driver, "ns", ["a", "b"]);
    await driver.delete("ns", "a");
    await driver.set("ns", "b", "new");

    assert.deepEqual(await driver.listMany([all("ns", ""), all("ns", "b")]), [
      [{ key: "b", value: "new" }],
      [{ key: "b", value: "new" }],
    ]);
  },
  "makes the listings as they were at the call": async (driver) => {
    await fill(driver, "ns", ["a/1", "b/1"]);
    const listing = { namespace: "ns", prefix: "a/", limit: 9 };
    const listings = [listing];
    const listed = driver.listMany(listings);
    listing.prefix = "b/";
    listings.push(listing);

    assert.deepEqual(
      (await listed).map((entries) => entries.map(({ key }) => key)),
      [["a/1"]],
    );
  },
  "refuses every listing that list refuses": async (driver) => {
    for (const bad of [
      { namespace: "", prefix: "", limit: 1 },
      { namespace: "a\0", prefix: "", limit: 1 },
      { namespace: "ns", prefix: "\ud800", limit: 1 },
      { namespace: "ns", prefix: "", after: "a\0b", limit: 1 },
      ...[0, -1, 1.5, NaN, Infinity].map((limit) => ({ namespace: "ns", prefix: "", limit })),
    ])
      await rejectsWith(driver.listMany([all("ns", "a"), bad]), "invalid_value");
  },
} satisfies ConformanceCases<ListingStorage>;

/** Returns a listing whose limit exceeds the number of keys stored by any case. */
function all(namespace: string, prefix: string, after?: string): Listing {
  return { namespace, prefix, limit: 1000, ...(after !== undefined && { after }) };
}

async function fill(driver: StorageDriver, namespace: string, keys: readonly string[]): Promise<void> {
  for (const key of keys) await driver.set(namespace, key, key);
}

async function keysOf(driver: ListingStorage, listings: readonly Listing[]): Promise<string[][]> {
  return (await driver.listMany(listings)).map((entries) => entries.map(({ key }) => key));
}
