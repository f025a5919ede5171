import { describe, expect, it } from "vitest";
import {
  filterParts,
  idOf,
  inScope,
  keyOf,
  toFields,
  toStored,
  toUnit,
  vectorField,
  withTerms,
} from "./stored-vector.ts";
import type { ToBinary } from "./stored-vector.ts";

const toBinary = ((vector: Float32Array) => ({ numbers: Array.from(vector) })) as unknown as ToBinary;
const binary = (...numbers: number[]) => ({ numbers: Array.from(new Float32Array(numbers)) });

/** The record of a document with this vector, whose length is that of its first number. */
function storedOf(vector: number[], more: { metadata?: Record<string, unknown> } = {}) {
  const document = {
    id: "ä/1",
    content: "Text.",
    vector: new Float32Array(vector),
    length: Math.hypot(...vector),
    ...more,
  };
  return toStored(document, { scope: "s", change: 7, toBinary });
}

describe("the record of a document", () => {
  it("has its scope in its id, its change, its vector by dimensions, and no metadata where there is none", () => {
    expect(storedOf([3, 4])).toStrictEqual({
      _id: "s/ä/1",
      scope: "s",
      id: "ä/1",
      content: "Text.",
      terms: [],
      words: ["text"],
      counts: [1],
      wordCount: 1,
      change: 7,
      length: 5,
      vector2: binary(3, 4),
    });
  });

  it.each([
    [1e-4, true],
    [0.99e-4, false],
    [1e4, true],
    [1.01e4, false],
    [1e-30, false],
    [1e30, false],
  ])(
    "has a vector of the length %d as it is: %s; one of another length is scaled to 1, beside the original",
    (length, isUsual) => {
      const vector = new Float32Array([0, length]);
      const document = { id: "1", content: "", vector, length };
      const { length: kept, vector2, original } = toStored(document, { scope: "s", change: 1, toBinary });

      expect(kept).toBe(isUsual ? length : 1);
      expect(vector2).toEqual(isUsual ? binary(0, length) : binary(0, Math.fround(length) / length));
      expect(original).toEqual(isUsual ? undefined : binary(0, length));
    },
  );

  it("gives back its fields, with metadata of any names and depth", () => {
    const metadata = { "a.b": { $c: [1, null, "é"] }, "": true };
    const stored = storedOf([1], { metadata });
    expect(stored.terms.length).toBeGreaterThan(0);
    expect(stored.terms.every((term) => term.length === 32)).toBe(true);
    expect(toFields(stored)).toStrictEqual({ id: "ä/1", content: "Text.", metadata });
    expect(toFields(storedOf([1]))).toStrictEqual({ id: "ä/1", content: "Text." });
  });
});

describe("a filter", () => {
  it("takes all documents of its scope, and those of no longer one", () => {
    const { _id } = inScope("s") as { _id: { $gte: string; $lt: string } };
    const isIn = (id: string): boolean => id >= _id.$gte && id < _id.$lt;
    expect([idOf("s", ""), idOf("s", "a"), idOf("s", "￿")].map(isIn)).toEqual([true, true, true]);
    expect([idOf("s1", "a"), idOf("s0", "a"), idOf("r", "a"), "s", idOf("S", "a")].map(isIn)).toEqual([
      false,
      false,
      false,
      false,
      false,
    ]);
  });

  it("has the terms that the records of matching documents have, the first beside the others", () => {
    const filter = { lang: "de", year: 2026 };
    const { terms } = storedOf([1], { metadata: { ...filter, more: "x" } });
    const parts = filterParts(filter);
    expect(parts).toHaveLength(2);
    expect(parts.every((part) => terms.includes(part.terms))).toBe(true);
    expect(withTerms(filter)).toEqual({ ...parts[0], $and: [parts[1]] });
    expect(withTerms({ lang: "de" })).toEqual(filterParts({ lang: "de" })[0]);
    expect(withTerms({})).toEqual({});
    expect(inScope("s", filter)).toEqual({ scope: "s", ...withTerms(filter) });
    expect(storedOf([1], { metadata: { lang: "en" } }).terms).not.toContain(filterParts({ lang: "de" })[0]?.terms);
  });
});

it("StoredVector names fields by dimensions, and collections by a hash of their path", () => {
  expect([vectorField(2), vectorField(1536)]).toEqual(["vector2", "vector1536"]);
  expect(keyOf("a")).toMatch(/^[\w-]{43}$/);
  expect(keyOf("a".repeat(5000))).toHaveLength(43);
  expect(keyOf("a")).not.toBe(keyOf("b"));
  expect(Array.from(toUnit({ vector: new Float32Array([3, 4]), length: 5 }))).toEqual(
    Array.from(new Float32Array([0.6, 0.8])),
  );
});
