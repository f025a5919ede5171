import assert from "node:assert/strict";
import * as fc from "fast-check";
import { describe, it } from "vitest";
import { BoundedStorage } from "./bounded-storage.ts";
import { InMemoryStorage } from "./in-memory-storage.ts";
import type { Json } from "./json.ts";
import type { Listing, ListOptions, StorageDriver, StorageEntry } from "./storage-driver.ts";

/** The plainest thing that keeps the promises: texts in a map, sorted by their bytes at every listing. */
class Model {
  readonly #texts = new Map<string, Map<string, string>>();

  read(namespace: string, key: string): Json | null {
    return JSON.parse(this.#texts.get(namespace)?.get(key) ?? "null") as Json | null;
  }

  write(namespace: string, key: string, value: Json | null): void {
    const texts = this.#texts.get(namespace) ?? new Map<string, string>();
    this.#texts.set(namespace, texts);
    if (value === null) texts.delete(key);
    else texts.set(key, JSON.stringify(value));
  }

  list(namespace: string, prefix: string, { limit = Infinity, reverse = false, after }: ListOptions): StorageEntry[] {
    const keys = [...(this.#texts.get(namespace)?.keys() ?? [])].filter((key) => key.startsWith(prefix));
    const ordered = keys.toSorted((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)));
    const directed = reverse ? ordered.toReversed() : ordered;
    const sign = reverse ? -1 : 1;
    const behind = directed.filter(
      (key) => after === undefined || sign * Buffer.compare(Buffer.from(key), Buffer.from(after)) > 0,
    );
    return behind.slice(0, limit).map((key) => ({ key, value: this.read(namespace, key) }));
  }

  append(namespace: string, prefix: string, value: Json): { key: string; seq: number } {
    const used = this.list(namespace, prefix, {}).map(({ key }) => key.slice(prefix.length));
    const seq = Math.max(0, ...used.filter((text) => /^\d{12}$/.test(text)).map(Number)) + 1;
    const key = prefix + String(seq).padStart(12, "0");
    this.write(namespace, key, value);
    return { key, seq };
  }
}

type Step = (driver: Required<StorageDriver>, model: Model) => Promise<void>;

const namespace = fc.constantFrom("sessions", "turns", "facts", "__proto__");
const key = fc.oneof(
  fc.constantFrom("-/a", "-/a/", "-/a/000000000003", "-/ab", "-/😀", "-/\uffff", "constructor", "a%b"),
  fc.string({ unit: fc.constantFrom("-", "/", "a", "0", "😀", "\ue000"), minLength: 1, maxLength: 4 }),
);
const value = fc.oneof(fc.nat({ max: 2 }), fc.constantFrom<Json>("", false, [], { a: [1] }));
const valueOrNull = fc.option(value);
const options = fc.record(
  { limit: fc.integer({ min: 1, max: 4 }), reverse: fc.boolean(), after: key },
  { requiredKeys: [] },
) as fc.Arbitrary<ListOptions>;
const prefix = fc.oneof(fc.constantFrom("", "-/", "-/a/", "-/a"), key);

const listing = fc.record(
  { namespace, prefix, limit: fc.integer({ min: 1, max: 4 }), after: key },
  { requiredKeys: ["namespace", "prefix", "limit"] },
) as fc.Arbitrary<Listing>;

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.tuple(namespace, key, valueOrNull).map(([ns, at, next]): Step => async (driver, model) => {
    await driver.set(ns, at, next);
    model.write(ns, at, next);
  }),
  fc.tuple(namespace, key).map(([ns, at]): Step => async (driver, model) => {
    assert.deepEqual(await driver.get(ns, at), model.read(ns, at));
    await driver.delete(ns, at);
    model.write(ns, at, null);
  }),
  fc.tuple(namespace, prefix, value).map(([ns, begin, next]): Step => async (driver, model) => {
    assert.deepEqual(await driver.append(ns, begin, next), model.append(ns, begin, next));
  }),
  fc.tuple(namespace, key, valueOrNull, valueOrNull).map(([ns, at, expected, next]): Step => async (driver, model) => {
    const equal = JSON.stringify(model.read(ns, at)) === JSON.stringify(expected);
    assert.equal(await driver.compareAndSet(ns, at, expected, next), equal);
    if (equal) model.write(ns, at, next);
  }),
  fc
    .array(fc.record({ namespace, key, value: valueOrNull }), { maxLength: 4 })
    .map((writes): Step => async (driver, model) => {
      await driver.transaction(writes);
      for (const write of writes) model.write(write.namespace, write.key, write.value);
    }),
  fc.array(fc.record({ namespace, key, value }), { maxLength: 4 }).map((writes): Step => async (driver, model) => {
    const inserted = await driver.insertAll(writes);
    for (const [index, each] of writes.entries()) {
      const isFree = model.read(each.namespace, each.key) === null;
      assert.equal(inserted[index], isFree);
      if (isFree) model.write(each.namespace, each.key, each.value);
    }
  }),
  fc.tuple(namespace, prefix, options).map(([ns, begin, narrow]): Step => async (driver, model) => {
    assert.deepEqual(await driver.list(ns, begin, narrow), model.list(ns, begin, narrow));
  }),
  fc.array(listing, { maxLength: 3 }).map((listings): Step => async (driver, model) => {
    const expected = listings.map((each) => model.list(each.namespace, each.prefix, each));
    assert.deepEqual(await driver.listMany(listings), expected);
  }),
);

describe.each([
  ["InMemoryStorage", () => new InMemoryStorage()],
  ["BoundedStorage", () => new BoundedStorage()],
])("%s", (_name, create) => {
  it("does what a sorted map does, whatever the order of calls", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60, size: "max" }), async (steps) => {
        const driver = create();
        const model = new Model();
        for (const run of steps) await run(driver, model);

        for (const ns of ["sessions", "turns", "facts", "__proto__"]) {
          assert.deepEqual(await driver.list(ns), model.list(ns, "", {}));
        }
      }),
      { numRuns: 300 },
    );
  });
});
