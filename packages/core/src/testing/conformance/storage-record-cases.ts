import { assert, rejectsWith } from "./assert.ts";
import type { StorageDriver } from "../../sessions/storage/storage-driver.ts";
import type { ConformanceCases } from "./check-conformance.ts";

/** Cases of `storageDriverCases` for reading, writing and deleting single records. */
export const storageRecordCases = {
  "returns null for a key that was never set": async (driver) => {
    assert.equal(await driver.get("ns", "missing"), null);
  },
  "distinguishes false, 0 and empty values from absent ones": async (driver) => {
    const values = [false, 0, "", [], {}];
    for (const [index, value] of values.entries()) await driver.set("ns", `k${index}`, value);

    for (const [index, value] of values.entries()) assert.deepEqual(await driver.get("ns", `k${index}`), value);
    assert.equal((await driver.list("ns")).length, values.length);
  },
  "replaces a value as a whole": async (driver) => {
    await driver.set("ns", "k", { a: 1, b: 2 });
    await driver.set("ns", "k", { a: 3 });

    assert.deepEqual(await driver.get("ns", "k"), { a: 3 });
  },
  "deletes a record": async (driver) => {
    await driver.set("ns", "k", 1);
    await driver.set("ns", "k2", 2);
    await driver.delete("ns", "k");

    assert.equal(await driver.get("ns", "k"), null);
    assert.deepEqual(await driver.list("ns"), [{ key: "k2", value: 2 }]);
  },
  "deletes an absent record without an error": async (driver) => {
    await assert.doesNotReject(driver.delete("ns", "k"));
    await driver.set("ns", "k", 1);
    await driver.delete("ns", "k");

    await assert.doesNotReject(driver.delete("ns", "k"));
  },
  "deletes a record that is set to null": async (driver) => {
    await driver.set("ns", "k", 1);
    await driver.set("ns", "k", null);

    assert.equal(await driver.get("ns", "k"), null);
    assert.deepEqual(await driver.list("ns"), []);
  },
  "keeps namespaces apart": async (driver) => {
    await driver.set("one", "k", 1);
    await driver.set("other", "k", 2);
    await driver.delete("other", "k");

    assert.equal(await driver.get("one", "k"), 1);
    assert.equal(await driver.get("other", "k"), null);
  },
  "keeps namespace and key apart whatever characters they hold": async (driver) => {
    for (const border of ["/", ":", ".", "#", "_", "-"]) {
      await driver.set(`a${border}b`, "c", 1);
      await driver.set("a", `b${border}c`, 2);

      assert.equal(await driver.get(`a${border}b`, "c"), 1, border);
    }
  },
  "keeps every one of many records set at once": async (driver) => {
    await Promise.all(Array.from({ length: 50 }, async (_, index) => await driver.set("ns", `k${index}`, index)));

    assert.equal((await driver.list("ns")).length, 50);
    for (let index = 0; index < 50; index++) assert.equal(await driver.get("ns", `k${index}`), index);
  },
  "keeps one whole value of several that are set at once": async (driver) => {
    await Promise.all(
      Array.from({ length: 20 }, async (_, index) => await driver.set("ns", "k", { [`only${index}`]: index })),
    );

    assert.equal(Object.keys((await driver.get("ns", "k")) ?? {}).length, 1);
    assert.equal((await driver.list("ns")).length, 1);
  },
} satisfies ConformanceCases<StorageDriver>;

/** Different names that some databases, file systems or objects treat as equal or as special. */
const likeNames = [
  "a",
  "A",
  "a ",
  " a",
  "a/",
  "á",
  "a\u0301",
  "a'b",
  'a"b',
  "a;--",
  "$a",
  "a.b",
  "a\\b",
  "a%",
  "a_",
  "*",
  "..",
];

/** Cases of `storageDriverCases` for namespaces and keys. */
export const storageKeyCases = {
  "distinguishes keys by every character": async (driver) => {
    for (const name of likeNames) await driver.set("ns", name, name);

    for (const name of likeNames) assert.equal(await driver.get("ns", name), name);
    assert.equal((await driver.list("ns")).length, likeNames.length);
  },
  "distinguishes namespaces by every character": async (driver) => {
    for (const name of likeNames) await driver.set(name, "k", name);

    for (const name of likeNames) assert.deepEqual(await driver.list(name), [{ key: "k", value: name }]);
  },
  "stores percent-encoded keys unchanged": async (driver) => {
    const keys = ["a%2Fb", "a/b", "a%252Fb", "%", "%25", "%zz"];
    for (const key of keys) await driver.set("ns", key, key);

    for (const key of keys) assert.equal(await driver.get("ns", key), key);
    assert.equal((await driver.list("ns", "a%2F")).length, 1);
  },
  "finds nothing under the names of an object's own members, and stores under them": async (driver) => {
    for (const name of ["__proto__", "constructor", "toString", "hasOwnProperty"]) {
      assert.equal(await driver.get("ns", name), null);
      assert.deepEqual(await driver.list(name), []);
      await driver.set("ns", name, { polluted: name });
      await driver.set(name, "k", name);

      assert.deepEqual(await driver.get("ns", name), { polluted: name });
      assert.equal(await driver.get(name, "k"), name);
    }
    assert.equal(({} as { polluted?: string }).polluted, undefined);
  },
  "accepts names of up to 1,024 bytes": async (driver) => {
    const keys = ["x".repeat(1024), `${"x".repeat(1023)}y`, "é".repeat(512), "😀".repeat(256)];
    for (const key of keys) await driver.set("ns", key, key);
    for (const key of keys) await driver.set(key, key, `in ${key}`);

    for (const key of keys) assert.equal(await driver.get("ns", key), key);
    for (const key of keys) assert.equal(await driver.get(key, key), `in ${key}`);
  },
  "refuses an empty name": async (driver) => await refusesName(driver, ""),
  "refuses a name with NUL": async (driver) => await refusesName(driver, "a\0b"),
  "refuses a name with an unpaired surrogate": async (driver) => {
    for (const name of ["\ud800", "\udc00x", "x\ud83d"]) await refusesName(driver, name);
    await rejectsWith(driver.list("ns", "\ud800"), "invalid_value");
  },
  "refuses a name of more than 1,024 bytes": async (driver) => {
    for (const name of ["x".repeat(1025), "é".repeat(513)]) await refusesName(driver, name);
  },
  "refuses a name that is not a string": async (driver) => {
    const names: unknown[] = [undefined, null, 1, { $ne: null }, ["a"]];
    for (const name of names) await refusesName(driver, name as string);
  },
} satisfies ConformanceCases<StorageDriver>;

async function refusesName(driver: StorageDriver, name: string): Promise<void> {
  await rejectsWith(driver.set("ns", name, 1), "invalid_value");
  await rejectsWith(driver.set(name, "k", 1), "invalid_value");
  await rejectsWith(driver.get("ns", name), "invalid_value");
  await rejectsWith(driver.get(name, "k"), "invalid_value");
  await rejectsWith(driver.delete("ns", name), "invalid_value");
  await rejectsWith(driver.delete(name, "k"), "invalid_value");
  await rejectsWith(driver.list(name), "invalid_value");
  assert.deepEqual(await driver.list("ns"), []);
}
