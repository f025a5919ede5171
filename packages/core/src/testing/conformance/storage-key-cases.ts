import { assert } from "./assert.ts";
import type { StorageDriver } from "../../storage/storage-driver.ts";
import type { ConformanceCases } from "./check-conformance.ts";
import { rejectsWith } from "./rejects-with.ts";

/** Names that are different, but that some database, file system or object takes for the same or for something else. */
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

/** What a `StorageDriver` promises of namespaces and keys. */
export const storageKeyCases = {
  "tells keys apart by every character": async (driver) => {
    for (const name of likeNames) await driver.set("ns", name, name);

    for (const name of likeNames) assert.equal(await driver.get("ns", name), name);
    assert.equal((await driver.list("ns")).length, likeNames.length);
  },
  "tells namespaces apart by every character": async (driver) => {
    for (const name of likeNames) await driver.set(name, "k", name);

    for (const name of likeNames) assert.deepEqual(await driver.list(name), [{ key: "k", value: name }]);
  },
  "takes percent-encoded keys as they stand": async (driver) => {
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
  "takes names of up to 1,024 bytes": async (driver) => {
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
  "refuses a name that is no text": async (driver) => {
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
