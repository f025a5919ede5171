import assert from "node:assert/strict";
import { describe, it } from "vitest";
import type { ErrorCode } from "../errors/troupe-error.ts";
import { TroupeError } from "../errors/troupe-error.ts";
import { BoundedStorage } from "./bounded-storage.ts";
import { InMemoryStorage } from "./in-memory-storage.ts";
import type { Json } from "./json.ts";
import type { StorageDriver } from "./storage-driver.ts";

type WholeDriver = Required<StorageDriver>;

const rejects = (promise: Promise<unknown>, code: ErrorCode) =>
  assert.rejects(promise, (error) => TroupeError.is(error) && error.code === code);
const keysOf = async (listing: Promise<{ key: string }[]>) => (await listing).map(({ key }) => key);

/** Values that a serializer may lose, change or take for something else. */
const values: Json[] = [
  false,
  0,
  "",
  [],
  {},
  [null],
  { a: null },
  1e21,
  5e-324,
  -1.5,
  Number.MAX_SAFE_INTEGER,
  "\0",
  "a\0b\\u0000\u2028\ufffd\ufeff",
  "😀 é e\u0301 עברית",
  { "": 1, "a.b": 2, $ne: null, "a\0b": 3, ключ: 4 },
  { lc: 1, type: "secret", id: ["HOME"], __type: "Date", $date: "2026-01-01", $oid: "000000000000000000000000" },
  JSON.parse('{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}') as Json,
  "2026-01-01T00:00:00.000Z",
  "null",
  '{"a":1}',
  "x".repeat(1_000_000),
];

const badKeys: unknown[] = [
  "",
  "a\0b",
  "\ud800",
  "\udc00x",
  "x".repeat(10_240),
  "é".repeat(513),
  undefined,
  { $ne: null },
];
const badValues: unknown[] = [
  undefined,
  () => 1,
  Symbol("s"),
  1n,
  NaN,
  Infinity,
  new Date(),
  new Map(),
  [undefined],
  { a: { b: "\ud800" } },
];

const cases = {
  "gives null for a key that was never set [storage.get]": async (driver) => {
    assert.equal(await driver.get("ns", "missing"), null);
  },
  "gives every value back as it was [storage.in-memory]": async (driver) => {
    for (const [index, value] of values.entries()) await driver.set("ns", `k${index}`, value);

    for (const [index, value] of values.entries()) {
      assert.equal(JSON.stringify(await driver.get("ns", `k${index}`)), JSON.stringify(value));
    }
    assert.equal((await driver.list("ns")).length, values.length);
    assert.equal(({} as { polluted?: boolean }).polluted, undefined);
  },
  "replaces a value as a whole [storage.set]": async (driver) => {
    await driver.set("ns", "k", { a: 1, b: 2 });
    await driver.set("ns", "k", { a: 3 });

    assert.deepEqual(await driver.get("ns", "k"), { a: 3 });
  },
  "deletes, and does not mind an absent key [storage.delete]": async (driver) => {
    await driver.set("ns", "k", 1);
    await driver.delete("ns", "k");
    await driver.delete("ns", "k");
    await driver.delete("other", "k");

    assert.equal(await driver.get("ns", "k"), null);
    assert.deepEqual(await driver.list("ns"), []);
  },
  "takes a set of null for a delete": async (driver) => {
    await driver.set("ns", "k", 1);
    await driver.set("ns", "k", null);

    assert.deepEqual(await driver.list("ns"), []);
  },
  "tells namespaces and keys apart by every character": async (driver) => {
    const names = [
      "a",
      "A",
      "a ",
      " a",
      "a/",
      "é",
      "e\u0301",
      "a'b",
      'a"b',
      "a;--",
      "$a",
      "a.b",
      "__proto__",
      "constructor",
    ];
    for (const name of names) {
      await driver.set(name, "k", name);
      await driver.set("keys", name, name);
    }

    for (const name of names) {
      assert.equal(await driver.get(name, "k"), name);
      assert.equal(await driver.get("keys", name), name);
    }
    assert.equal((await driver.list("keys")).length, names.length);
    assert.equal(await driver.get("toString", "k"), null);
  },
  "takes keys of up to 1,024 bytes": async (driver) => {
    const keys = ["x".repeat(1024), "é".repeat(512)];
    for (const key of keys) await driver.set(key, key, key);

    for (const key of keys) assert.equal(await driver.get(key, key), key);
  },
  "keeps nothing of what it is given": async (driver) => {
    const value = { list: [1] };
    const writes = [{ namespace: "ns", key: "t", value }];
    await driver.set("ns", "s", value);
    await driver.transaction(writes);
    await driver.compareAndSet("ns", "c", null, value);
    await driver.append("ns", "a/", value);
    value.list.push(2);

    for (const entry of await driver.list("ns")) assert.deepEqual(entry.value, { list: [1] });
  },
  "gives what the caller may change": async (driver) => {
    await driver.set("ns", "k", { list: [1] });
    for (const value of [await driver.get("ns", "k"), (await driver.list("ns"))[0]?.value]) {
      (value as { list: number[] }).list.push(2);
    }

    assert.deepEqual(await driver.get("ns", "k"), { list: [1] });
  },
  "lists in the order of the keys' bytes in UTF-8": async (driver) => {
    const ordered = ["\x01", "!", "/", "0", "10", "9", "A", "B", "_", "a", "aa", "b", "é", "\ue000", "\uffff", "😀"];
    for (const key of ordered.toReversed()) await driver.set("ns", key, key);

    assert.deepEqual(
      await driver.list("ns"),
      ordered.map((key) => ({ key, value: key })),
    );
    assert.deepEqual(await keysOf(driver.list("ns", "", { reverse: true })), ordered.toReversed());
  },
  "takes every character of a prefix literally [storage.list]": async (driver) => {
    const marks = ["%", "_", "*", "?", "[", "]", "^", "$", ".", "\\", "'", '"', "(", "{", "|", "+", "😀"];
    for (const mark of marks) await driver.set("ns", `a${mark}b`, 1);
    await driver.set("ns", "axb", 1);
    await driver.set("ns", "Ax", 1);

    for (const mark of marks) assert.deepEqual(await keysOf(driver.list("ns", `a${mark}`)), [`a${mark}b`]);
    assert.equal((await driver.list("ns", "a")).length, marks.length + 1);
    assert.deepEqual(await driver.list("ns", "zzz"), []);
    assert.deepEqual(await driver.list("none"), []);
  },
  "narrows a listing by limit, direction and place": async (driver) => {
    for (const key of ["p/1", "p/2", "p/3", "p/4", "o", "q"]) await driver.set("ns", key, 1);

    assert.deepEqual(await keysOf(driver.list("ns", "p/", { limit: 2 })), ["p/1", "p/2"]);
    assert.deepEqual(await keysOf(driver.list("ns", "p/", { limit: 2, reverse: true })), ["p/4", "p/3"]);
    assert.deepEqual(await keysOf(driver.list("ns", "p/", { after: "p/2" })), ["p/3", "p/4"]);
    assert.deepEqual(await keysOf(driver.list("ns", "p/", { after: "p/20" })), ["p/3", "p/4"]);
    assert.deepEqual(await keysOf(driver.list("ns", "p/", { after: "p/3", reverse: true, limit: 1 })), ["p/2"]);
    assert.deepEqual(await keysOf(driver.list("ns", "p/", { after: "a" })), ["p/1", "p/2", "p/3", "p/4"]);
    assert.deepEqual(await keysOf(driver.list("ns", "p/", { after: "z" })), []);
    assert.deepEqual(await keysOf(driver.list("ns", "p/", { after: "p/1", reverse: true })), []);
    assert.deepEqual(await keysOf(driver.list("ns", "", { limit: 100, after: "p/4" })), ["q"]);
  },
  "refuses options of a listing that databases read differently": async (driver) => {
    for (const limit of [0, -1, 1.5, NaN, Infinity]) await rejects(driver.list("ns", "", { limit }), "invalid_value");
    await rejects(driver.list("ns", "", { after: "\ud800" }), "invalid_value");
  },
  "refuses namespaces and keys that not every database can hold": async (driver) => {
    for (const bad of badKeys as string[]) {
      await rejects(driver.get("ns", bad), "invalid_value");
      await rejects(driver.get(bad, "k"), "invalid_value");
      await rejects(driver.set("ns", bad, 1), "invalid_value");
      await rejects(driver.set(bad, "k", 1), "invalid_value");
      await rejects(driver.delete("ns", bad), "invalid_value");
      await rejects(driver.compareAndSet("ns", bad, null, 1), "invalid_value");
      await rejects(driver.transaction([{ namespace: bad, key: "k", value: 1 }]), "invalid_value");
      await rejects(driver.append(bad, "k", 1), "invalid_value");
      await rejects(driver.append("ns", "a/", 1, { ifHeld: { key: bad, token: 1 } }), "invalid_value");
      await rejects(driver.list(bad), "invalid_value");
    }
    await rejects(driver.list("ns", "\ud800"), "invalid_value");
    await rejects(driver.append("ns", "x".repeat(1013), 1), "invalid_value");
    assert.deepEqual(await driver.list("ns"), []);
  },
  "refuses what is not JSON before anything is written": async (driver) => {
    await driver.set("ns", "k", "old");
    for (const bad of badValues as Json[]) {
      await rejects(driver.set("ns", "k", bad), "invalid_value");
      await rejects(driver.append("ns", "k", bad), "invalid_value");
      await rejects(driver.compareAndSet("ns", "k", "old", bad), "invalid_value");
      await rejects(driver.compareAndSet("ns", "k", bad, 1), "invalid_value");
      const writes = [{ value: "new" }, { value: bad }].map((write) => ({ namespace: "ns", key: "k", ...write }));
      await rejects(driver.transaction(writes), "invalid_value");
    }

    assert.deepEqual(await driver.list("ns"), [{ key: "k", value: "old" }]);
  },
  "leaves out members that are undefined": async (driver) => {
    await driver.set("ns", "k", { a: 1, title: undefined } as unknown as Json);

    assert.deepEqual(await driver.get("ns", "k"), { a: 1 });
  },
  "stores 64 levels and no more": async (driver) => {
    const nested = (levels: number): Json => (levels === 0 ? 1 : { in: nested(levels - 1) });
    await driver.set("ns", "k", nested(64));

    assert.deepEqual(await driver.get("ns", "k"), nested(64));
    await rejects(driver.set("ns", "k", nested(65)), "invalid_value");
  },
  "answers a ping": async (driver) => {
    await driver.ping();
  },
  "refuses every call after it was closed, and closes twice [storage.close]": async (driver) => {
    await driver.set("ns", "k", 1);
    await driver.close();
    await driver.close();

    for (const call of [
      driver.get("ns", "k"),
      driver.set("ns", "k", 1),
      driver.delete("ns", "k"),
      driver.list("ns"),
      driver.append("ns", "k", 1),
      driver.compareAndSet("ns", "k", null, 1),
      driver.transaction([]),
      driver.ping(),
    ]) {
      await rejects(call, "storage_unavailable");
    }
  },
} satisfies Record<string, (driver: WholeDriver) => Promise<void>>;

describe.each([
  ["InMemoryStorage", () => new InMemoryStorage()],
  ["BoundedStorage", () => new BoundedStorage()],
])("%s", (_name, create) => {
  it.each(Object.entries(cases))("%s", async (_title, check) => {
    await check(create());
  });
});
