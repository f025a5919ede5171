import type { Json, StorageDriver } from "@troupe/core";
import type { Listing, ListOptions } from "@troupe/core/storage";
import * as fc from "fast-check";

type Driver = Omit<Required<StorageDriver>, "close" | "ping" | "watch">;

/** One call on a storage, as data, so that a failing sequence can be printed. */
export type StorageStep = { [Call in keyof Driver]: { call: Call; args: Parameters<Driver[Call]> } }[keyof Driver];

/** Characters that have a special meaning in some database, or at which string orders differ. */
const marks = Array.from("%_*'\"\\/:$.0aA \u0001é\ue000\uffff😀\u{10ffff}");
const character = fc.oneof(fc.constantFrom(...marks), fc.string({ unit: "binary", minLength: 1, maxLength: 1 }));

/** Key prefixes, most often the same one. */
const prefix = fc.oneof(
  { weight: 6, arbitrary: fc.constant("s/") },
  { weight: 3, arbitrary: fc.constantFrom("", "s", "s/1", "%", "\u{10ffff}", "s/\ud7ff") },
  { weight: 1, arbitrary: fc.string({ unit: character, maxLength: 3 }) },
);

/** Keys that often collide, share prefixes, or look like the sequence number of an append. */
const key = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom("k", "s/000000000002", "s/00000000000x") },
  { weight: 2, arbitrary: fc.constantFrom("s/", "s/:", "s/00000000002", "s/0000000000020", "__proto__") },
  {
    weight: 2,
    arbitrary: fc
      .tuple(prefix, fc.string({ unit: character, minLength: 1, maxLength: 2 }))
      .map((parts) => parts.join("")),
  },
);

/** Any JSON value, and a few values that are not JSON. */
const value = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom<Json>(0, false, "", 1, [], {}, { a: 1, b: [1] }, { b: [1], a: 1 }, "a\0b😀"),
  },
  { weight: 6, arbitrary: fc.jsonValue({ stringUnit: "binary", maxDepth: 4 }) as fc.Arbitrary<Json> },
  { weight: 1, arbitrary: fc.constantFrom<Json>(JSON.parse('{"__proto__":{"a":1},"":0}') as Json, nested(64)) },
  { weight: 1, arbitrary: fc.constantFrom(undefined, NaN, "\ud800", nested(65)) as fc.Arbitrary<Json> },
);
const valueOrNull = fc.option(value, { freq: 6 });

const listOptions = fc.record(
  { limit: fc.integer({ min: 0, max: 4 }), reverse: fc.boolean(), after: key },
  { requiredKeys: [] },
) as fc.Arbitrary<ListOptions>;

const namespace = fc.constantFrom("one", "one", "one", "two");
const lease = [fc.constant("locks"), fc.constant("lease")] as const;
const leases = fc.constantFrom<Json | null>({ token: 1 }, { holder: "a", token: 2 }, { token: "1" }, null);
const ifHeld = fc.record({ key: lease[1], token: fc.constantFrom(1, 2) });
const appendOptions = fc.record({ ifHeld }, { requiredKeys: [] });
const writes = fc.array(fc.record({ namespace, key, value: valueOrNull }), { maxLength: 4 });
const inserts = fc.array(
  fc.record({ namespace, key, value: fc.oneof({ weight: 9, arbitrary: value }, fc.constant(null)) }),
  { maxLength: 4 },
);

const listings = fc.array(
  fc.record(
    { namespace, prefix, limit: fc.integer({ min: 0, max: 4 }), after: key },
    { requiredKeys: ["namespace", "prefix", "limit"] },
  ),
  { maxLength: 4 },
) as fc.Arbitrary<Listing[]>;

const step: fc.Arbitrary<StorageStep> = fc.oneof(
  stepOf("get", fc.tuple(namespace, key)),
  stepOf("delete", fc.tuple(namespace, key)),
  stepOf("set", fc.tuple(namespace, key, valueOrNull)),
  stepOf("set", fc.tuple(...lease, leases)),
  stepOf("list", fc.tuple(namespace, prefix, listOptions)),
  stepOf("listMany", fc.tuple(listings)),
  stepOf("append", fc.tuple(namespace, prefix, value, appendOptions)),
  stepOf("compareAndSet", fc.tuple(namespace, key, valueOrNull, valueOrNull)),
  stepOf("transaction", fc.tuple(writes)),
  stepOf("insertAll", fc.tuple(inserts)),
);

/** Random sequences of calls, each followed by listings of everything stored. */
export const storageSteps: fc.Arbitrary<StorageStep[]> = fc
  .array(step, { maxLength: 60, size: "max" })
  .map((steps) => [...steps, ...["one", "two", "locks"].map((each): StorageStep => ({ call: "list", args: [each] }))]);

function stepOf<Call extends keyof Driver>(call: Call, args: fc.Arbitrary<Parameters<Driver[Call]>>) {
  return fc.record({ call: fc.constant(call), args });
}

function nested(levels: number): Json {
  return levels === 0 ? "deep" : [nested(levels - 1)];
}
