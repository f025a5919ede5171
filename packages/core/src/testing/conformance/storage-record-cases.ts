import { assert } from "./assert.ts";
import type { StorageDriver } from "../../storage/storage-driver.ts";
import type { ConformanceCases } from "./check-conformance.ts";

/** What a `StorageDriver` promises of single records. */
export const storageRecordCases = {
  "gives null for a key that was never set": async (driver) => {
    assert.equal(await driver.get("ns", "missing"), null);
  },
  "tells false, 0 and empty values from absent ones": async (driver) => {
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
  "takes a set of null for a delete": async (driver) => {
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
  "does not mistake the border between namespace and key": async (driver) => {
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
  "keeps one of several values set at once, and that one whole": async (driver) => {
    await Promise.all(
      Array.from({ length: 20 }, async (_, index) => await driver.set("ns", "k", { [`only${index}`]: index })),
    );

    assert.equal(Object.keys((await driver.get("ns", "k")) ?? {}).length, 1);
    assert.equal((await driver.list("ns")).length, 1);
  },
} satisfies ConformanceCases<StorageDriver>;
