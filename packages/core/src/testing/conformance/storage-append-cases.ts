import { assert, rejectsWith } from "./assert.ts";
import type { Json } from "../../sessions/storage/json.ts";
import type { StorageDriver } from "../../sessions/storage/storage-driver.ts";
import type { ConformanceCases } from "./check-conformance.ts";

/** A `StorageDriver` with the optional method `append`: subject of `storageAppendCases`. */
export type AppendingStorage = StorageDriver & Required<Pick<StorageDriver, "append">>;

/** Conformance suite for a `StorageDriver` with `append`. */
export const storageAppendCases = {
  "numbers appended values from 1 with 12 digits": async (driver) => {
    assert.deepEqual(await driver.append("ns", "s/", "first"), { key: "s/000000000001", seq: 1 });
    assert.deepEqual(await driver.append("ns", "s/", "second"), { key: "s/000000000002", seq: 2 });

    assert.deepEqual(await driver.list("ns"), [
      { key: "s/000000000001", value: "first" },
      { key: "s/000000000002", value: "second" },
    ]);
  },
  "numbers each prefix and each namespace separately": async (driver) => {
    await driver.append("ns", "s/", 1);

    for (const prefix of ["s2/", "s/0/", "S/", "s", "%"]) assert.equal((await driver.append("ns", prefix, 1)).seq, 1);
    assert.equal((await driver.append("other", "s/", 1)).seq, 1);
    assert.equal((await driver.append("ns", "s/", 1)).seq, 2);
  },
  "continues the numbers of a prefix with any characters": async (driver) => {
    for (const prefix of ["😀/", "a😀b/", "\uffff", "\u{10ffff}", "é/", "\ud7ff", "x".repeat(1012), "😀".repeat(253)]) {
      for (const seq of [1, 2, 3]) assert.equal((await driver.append("ns", prefix, seq)).seq, seq, prefix);

      const values = (await driver.list("ns", prefix)).map(({ value }) => value);
      assert.deepEqual(values, [1, 2, 3], prefix);
    }
  },
  "continues after the highest stored number": async (driver) => {
    await driver.set("ns", "s/000000000041", "set");
    assert.equal((await driver.append("ns", "s/", 1)).seq, 42);
    await driver.delete("ns", "s/000000000041");
    assert.equal((await driver.append("ns", "s/", 1)).seq, 43);
  },
  "ignores keys that are not numbers": async (driver) => {
    for (const key of ["s/", "s/00", "s/0000000000420", "s/00000000004x", "s/:", "s/~", "s/zzz"])
      await driver.set("ns", key, 1);

    assert.equal((await driver.append("ns", "s/", 1)).seq, 1);
    assert.equal((await driver.append("ns", "s/", 2)).seq, 2);
    assert.equal(await driver.get("ns", "s/000000000001"), 1);
  },
  "gives concurrent appends different numbers without a gap": async (driver) => {
    const appended = await Promise.all(
      Array.from({ length: 50 }, async (_, index) => await driver.append("ns", "s/", index)),
    );

    const numbers = appended.map(({ seq }) => seq).toSorted((one, other) => one - other);
    assert.deepEqual(
      numbers,
      Array.from({ length: 50 }, (_, index) => index + 1),
    );
    for (const [index, { key }] of appended.entries()) assert.equal(await driver.get("ns", key), index);
  },
  "does not append null": async (driver) => {
    await rejectsWith(driver.append("ns", "s/", null), "invalid_value");
    assert.deepEqual(await driver.list("ns"), []);
  },
  "refuses to append after the last possible number": async (driver) => {
    await driver.set("ns", "s/999999999999", 1);

    await rejectsWith(driver.append("ns", "s/", 1), "invalid_value");
    assert.equal((await driver.list("ns")).length, 1);
  },
  "refuses to append values that are not JSON or under invalid keys": async (driver) => {
    await rejectsWith(driver.append("ns", "s/", NaN), "invalid_value");
    await rejectsWith(driver.append("ns", "\ud800", 1), "invalid_value");
    await rejectsWith(driver.append("", "s/", 1), "invalid_value");
    await rejectsWith(driver.append("ns", "x".repeat(1013), 1), "invalid_value");

    assert.deepEqual(await driver.list("ns"), []);
  },
  "appends the value as it was at the call": async (driver) => {
    const value: Json = { list: [1] };
    const appended = driver.append("ns", "s/", value);
    (value["list"] as number[]).push(2);

    assert.deepEqual(await driver.get("ns", (await appended).key), { list: [1] });
  },
  "appends while the lease is held with its token": async (driver) => {
    await driver.set("locks", "lease", { token: 7, holder: "a" });

    assert.equal((await driver.append("ns", "s/", 1, { ifHeld: { key: "lease", token: 7 } })).seq, 1);
  },
  "appends nothing once the lease has another token": async (driver) => {
    for (const lease of [null, { token: 8 }, { token: "7" }, [7], 7, "7", { inner: { token: 7 } }]) {
      await driver.set("locks", "lease", lease);
      await rejectsWith(driver.append("ns", "s/", 1, { ifHeld: { key: "lease", token: 7 } }), "conflict");
    }

    assert.deepEqual(await driver.list("ns"), []);
  },
} satisfies ConformanceCases<AppendingStorage>;
