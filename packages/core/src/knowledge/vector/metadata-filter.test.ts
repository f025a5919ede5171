import { describe, expect, it } from "vitest";
import assert from "node:assert/strict";
import * as fc from "fast-check";
import { filterTerms, matchesFilter, metadataTerms, toFilter } from "./metadata-filter.ts";

// Few names and values, with dots and shapes that a path could confuse.
const name = fc.constantFrom("a", "b", "a.b", "b.a", "", ".", "__proto__", "0");
const value = fc.letrec((tie) => ({
  json: fc.oneof(
    { depthSize: "small" },
    fc.constantFrom(null, 0, 1, "1", "", true, [], {}),
    fc.array(tie("json"), { maxLength: 2 }),
    fc.dictionary(name, tie("json"), { maxKeys: 3, noNullPrototype: true }),
  ),
})).json;
const record = fc.dictionary(name, value, { maxKeys: 3, noNullPrototype: true });
const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => names.join("."));

/** All pairs of a filter's name and the value that a document has there. */
function fieldsOf(metadata: Record<string, unknown>): [string, unknown][] {
  const nested = (value_: unknown, before: string): [string, unknown][] =>
    typeof value_ === "object" && value_ !== null && !Array.isArray(value_)
      ? Object.entries(value_).flatMap(([key, part]): [string, unknown][] => [
          [`${before}.${key}`, part],
          ...nested(part, `${before}.${key}`),
        ])
      : [];
  return Object.entries(metadata).flatMap(([key, part]): [string, unknown][] => [[key, part], ...nested(part, key)]);
}

describe("the terms of metadata", () => {
  it("hold all terms of a filter exactly when the metadata matches it", () => {
    const filter = fc.dictionary(path, value, { maxKeys: 2, noNullPrototype: true });
    fc.assert(
      fc.property(record, filter, fc.nat(), (metadata, given, pick) => {
        const held = fieldsOf(metadata);
        const [at = "a", wanted = null] = held[pick % Math.max(1, held.length)] ?? [];
        for (const asked of [given, { [at]: wanted }, { ...given, [at]: wanted }]) {
          const terms = new Set(metadataTerms(metadata));
          assert.equal(
            filterTerms(asked).every((term) => terms.has(term)),
            matchesFilter(metadata, asked),
          );
        }
      }),
      { numRuns: 2000 },
    );
  });

  it("are the same for objects with their names in another order", () => {
    expect(filterTerms({ a: { x: 1, y: [{ b: 1, a: 2 }] } })).toEqual(
      filterTerms({ a: { y: [{ a: 2, b: 1 }], x: 1 } }),
    );
  });

  it("keep a name apart from a value", () => {
    expect(
      new Set([...filterTerms({ 'a":1': 1 }), ...filterTerms({ a: '":1' }), ...filterTerms({ a: "1" })]),
    ).toHaveLength(3);
  });
});

it.each([{ $where: 1 }, { a: { $gt: 1 } }, { a: [{ b: { $in: [] } }] }, { "$.a": 1 }])(
  "MetadataFilter refuses the filter %j",
  (filter) => {
    expect(() => toFilter(filter)).toThrow(
      expect.objectContaining({
        code: "invalid_value",
        message: expect.stringMatching(/^filter must not have the operator "\$/),
      }),
    );
  },
);

it("MetadataFilter matches a name with dots as a field or as the way to one", () => {
  expect(matchesFilter({ a: { b: 1 } }, { "a.b": 1 })).toBe(true);
  expect(matchesFilter({ "a.b": 1 }, { "a.b": 1 })).toBe(true);
  expect(matchesFilter({ "a.b": 2, a: { b: 1 } }, { "a.b": 1 })).toBe(true);
  expect(matchesFilter({ a: [{ b: 1 }] }, { "a.b": 1 })).toBe(false);
  expect(matchesFilter(undefined, { "a.b": null })).toBe(false);
});

it.each<[unknown, string]>([
  [{ a: undefined }, 'filter["a"] must not be undefined. Leave it out to search everything, or use null.'],
  [{ 'b"': undefined }, 'filter["b\\""] must not be undefined. Leave it out to search everything, or use null.'],
  [{ a: { $gt: 1 } }, 'filter must not have the operator "$gt": it compares fields with values for equality.'],
  [
    { [`$${"x".repeat(30)}`]: 1 },
    `filter must not have the operator "$${"x".repeat(19)}": it compares fields with values for equality.`,
  ],
  [null, "filter must be an object."],
  [[], "filter must be an object."],
])("names what is wrong with the filter %o", (filter, message) => {
  expect(() => toFilter(filter)).toThrow(expect.objectContaining({ code: "invalid_value", message }));
});

it("MetadataFilter copies a filter, whose values may begin with $ and be null", () => {
  const filter = { a: ["$gt", { b: null }], "a.$": 1 };
  const copy = toFilter(filter);

  expect(copy).toEqual(filter);
  expect(copy["a"]).not.toBe(filter.a);
});

it("MetadataFilter writes terms that a database keeps, each once, with the names of objects sorted", () => {
  const metadata = { b: { z: 1, a: [true, { y: null, x: "" }] }, "c.d": { e: 1 }, f: { "g.h": 1 }, é: 0 };

  expect(metadataTerms(metadata)).toEqual([
    '"b":{"a":[true,{"x":"","y":null}],"z":1}',
    '"b.z":1',
    '"b.a":[true,{"x":"","y":null}]',
    '"c.d":{"e":1}',
    '"f":{"g.h":1}',
    '"é":0',
  ]);
  expect(metadataTerms(undefined)).toEqual([]);
  expect(filterTerms({})).toEqual([]);
  expect(filterTerms({ "b.z": 1, b: { z: 1, a: 2 } })).toEqual(['"b.z":1', '"b":{"a":2,"z":1}']);
});

it.each<[Record<string, unknown> | undefined, Record<string, unknown>, boolean]>([
  [{ a: 1, b: 2 }, { a: 1, b: 2 }, true],
  [{ a: 1, b: 2 }, { a: 1, b: 3 }, false],
  [{ a: 1 }, {}, true],
  [undefined, {}, true],
  [{ a: null }, { a: null }, true],
  [{}, { a: null }, false],
  [{}, { toString: null }, false],
  [{ a: "1" }, { a: 1 }, false],
  [{ a: { b: { c: 1 } } }, { "a.b.c": 1 }, true],
  [{ "a.b": { c: 1 } }, { "a.b.c": 1 }, false],
  [{ a: 1 }, { "a.b": 1 }, false],
])("of the metadata %j the filter %j matches: %s", (metadata, filter, expected) => {
  expect(matchesFilter(metadata, filter)).toBe(expected);
});
