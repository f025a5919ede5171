import assert from "node:assert/strict";
import { describe, it } from "vitest";
import { TroupeError } from "../errors/troupe-error.ts";
import type { ErrorCode } from "../errors/troupe-error.ts";
import { BoundedStorage } from "./bounded-storage.ts";
import { InMemoryStorage } from "./in-memory-storage.ts";
import type { StorageDriver } from "./storage-driver.ts";

type WholeDriver = Required<StorageDriver>;

const rejects = (promise: Promise<unknown>, code: ErrorCode) =>
  assert.rejects(promise, (error) => TroupeError.is(error) && error.code === code);
const keysOf = async (listing: Promise<{ key: string }[]>) => (await listing).map(({ key }) => key);

const cases = {
  "numbers what is appended from 1, each prefix for itself": async (driver) => {
    assert.deepEqual(await driver.append("ns", "s/", "first"), { key: "s/000000000001", seq: 1 });
    assert.deepEqual(await driver.append("ns", "s/", "second"), { key: "s/000000000002", seq: 2 });
    assert.deepEqual(await driver.append("ns", "s2/", "other"), { key: "s2/000000000001", seq: 1 });
    assert.deepEqual(await driver.append("other", "s/", "other"), { key: "s/000000000001", seq: 1 });
    assert.deepEqual(await driver.append("ns", "s/0/", "below"), { key: "s/0/000000000001", seq: 1 });

    assert.equal(await driver.get("ns", "s/000000000002"), "second");
  },
  "gives the number behind the highest that is stored": async (driver) => {
    await driver.set("ns", "s/000000000041", "set");
    for (const key of ["s/", "s/00", "s/0000000000420", "s/00000000004x", "s/zzz", "s/:", "s/~"])
      await driver.set("ns", key, 1);

    assert.equal((await driver.append("ns", "s/", 1)).seq, 42);
    await driver.delete("ns", "s/000000000042");
    assert.equal((await driver.append("ns", "s/", 1)).seq, 42);
  },
  "gives concurrent appends different numbers": async (driver) => {
    const appended = await Promise.all(Array.from({ length: 50 }, (_, index) => driver.append("ns", "s/", index)));

    assert.deepEqual(
      appended.map(({ seq }) => seq).toSorted((a, b) => a - b),
      Array.from({ length: 50 }, (_, index) => index + 1),
    );
    for (const [index, { key }] of appended.entries()) assert.equal(await driver.get("ns", key), index);
  },
  "appends neither null nor behind the last number": async (driver) => {
    await driver.set("ns", "s/999999999999", 1);

    await rejects(driver.append("ns", "s/", 1), "invalid_value");
    await rejects(driver.append("ns", "t/", null), "invalid_value");
    assert.deepEqual(await keysOf(driver.list("ns")), ["s/999999999999"]);
  },
  "appends only while the lease is held with its token": async (driver) => {
    const append = (token: number) => driver.append("ns", "s/", token, { ifHeld: { key: "lease", token } });
    await rejects(append(1), "conflict");
    await driver.set("locks", "lease", { token: 1, holder: "a" });
    await append(1);
    await driver.set("locks", "lease", { token: 2, holder: "b" });
    await rejects(append(1), "conflict");
    await append(2);
    for (const lease of [[2], 2, "2", { token: "2" }, { inner: { token: 2 } }]) {
      await driver.set("locks", "lease", lease);
      await rejects(append(2), "conflict");
    }

    assert.deepEqual(
      (await driver.list("ns")).map(({ value }) => value),
      [1, 2],
    );
  },
  "sets by comparison: from absent, to another value, to absent": async (driver) => {
    assert.equal(await driver.compareAndSet("ns", "k", 1, 2), false);
    assert.equal(await driver.compareAndSet("ns", "k", null, { a: 1, b: [1] }), true);
    assert.equal(await driver.compareAndSet("ns", "k", null, 3), false);
    assert.equal(await driver.compareAndSet("ns", "k", { a: 1 }, 3), false);
    assert.equal(await driver.compareAndSet("ns", "k", { b: [1], a: 1 }, 3), true);
    assert.equal(await driver.compareAndSet("ns", "k", "3", 4), false);
    assert.equal(await driver.get("ns", "k"), 3);
    assert.equal(await driver.compareAndSet("ns", "k", 3, null), true);
    assert.deepEqual(await driver.list("ns"), []);
    assert.equal(await driver.compareAndSet("ns", "k", null, null), true);
  },
  "lets one of many that compare the same win": async (driver) => {
    const won = await Promise.all(
      Array.from({ length: 20 }, (_, index) => driver.compareAndSet("ns", "k", null, index)),
    );

    assert.equal(won.filter(Boolean).length, 1);
    assert.equal(await driver.get("ns", "k"), won.indexOf(true));
  },
  "applies the writes of a transaction in order": async (driver) => {
    await driver.set("ns", "gone", 1);
    await driver.transaction([
      { namespace: "ns", key: "a", value: 1 },
      { namespace: "other", key: "a", value: 2 },
      { namespace: "ns", key: "gone", value: null },
      { namespace: "ns", key: "a", value: 3 },
    ]);
    await driver.transaction([]);

    assert.deepEqual(await driver.list("ns"), [{ key: "a", value: 3 }]);
    assert.equal(await driver.get("other", "a"), 2);
  },
} satisfies Record<string, (driver: WholeDriver) => Promise<void>>;

describe.each([
  ["InMemoryStorage", () => new InMemoryStorage()],
  ["BoundedStorage", () => new BoundedStorage()],
])("%s: numbered, compared and joint writes", (_name, create) => {
  it.each(Object.entries(cases))("%s", async (_title, check) => {
    await check(create());
  });
});
