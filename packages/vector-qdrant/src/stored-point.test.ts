import { describe, expect, it } from "vitest";
import { pointIdOf, toDocument, toPoint as toPointOf, toTermsFilter, toUnit, toWholeDocument } from "./stored-point.ts";
import { toSparseVector } from "./stored-words.ts";

type Document = Parameters<typeof toPointOf>[0];

/** The point of a document in a collection of an older version, which takes no words. */
const toPoint = (document: Document) => {
  const { vector, ...point } = toPointOf(document, { takesWords: false });
  return { ...point, vector: vector as number[] };
};
const base = { id: "a", content: "text" };
const lengthOf = (vector: Float32Array) => Math.hypot(...vector);
const store = (numbers: readonly number[], more: object = {}) => {
  const vector = Float32Array.from(numbers);
  return toPoint({ ...base, vector, length: lengthOf(vector), ...more });
};
/** The document as Qdrant gives it back: JSON has no -0. */
const readBack = (point: object) => toWholeDocument(JSON.parse(JSON.stringify(point)) as object);

describe("the point of a document", () => {
  it.each<[string, number[]]>([
    ["a unit vector", [0.6, 0.8]],
    ["a long one", [3, 4]],
    ["a very long one", [3e38, 1e38]],
    ["a very short one", [1e-40, 0]],
    ["one with a zero of negative sign", [1, -0]],
    ["one of numbers that are not exact", [0.1, 0.2, 0.3]],
  ])("gives back %s exactly, and is of length 1", (_title, numbers) => {
    const vector = Float32Array.from(numbers);
    const point = store(numbers);

    expect(readBack(point).embedding).toStrictEqual([...vector]);
    expect(Math.hypot(...point.vector)).toBeCloseTo(1, 6);
  });

  it("has its words beside its own vector, and gives back that vector", () => {
    const document = { ...base, vector: Float32Array.of(3, 4), length: 5 };
    const point = toPointOf(document, { takesWords: true });

    expect(point.vector).toEqual({ "": [0.6, 0.8], words: toSparseVector(base) });
    expect(readBack(point)).toEqual({ ...base, embedding: [3, 4] });
  });

  it.each([
    [1, false],
    [1 + 4e-7, false],
    [1 - 4e-7, false],
    [1 + 6e-7, true],
    [1 - 6e-7, true],
  ])("the point of a document of the length %d keeps its vector beside: %s", (length, isKept) => {
    const point = toPoint({ ...base, vector: Float32Array.of(length, 0), length });

    expect("vector" in point.payload).toBe(isKept);
    expect(store([1, -0]).payload.vector).toBeDefined();
  });

  it("gives back metadata as it is, and none as none", () => {
    const metadata = { b: 1, a: [null, { "é\u0000": "𝄞" }], ["__proto__"]: 1e21 };
    for (const given of [{}, metadata]) {
      const point = store([1, 0], { metadata: given });
      expect(toDocument(point)).toEqual({ ...base, metadata: given });
      expect(readBack(point)).toEqual({ ...base, embedding: [1, 0], metadata: given });
    }
    expect(Object.keys(toDocument(store([1, 0])))).toEqual(["id", "content"]);
    expect(Object.keys(readBack(store([1, 0])))).toEqual(["id", "content", "embedding"]);
  });

  it.each<[string, object]>([
    ["no payload", {}],
    ["null as payload", { payload: null }],
    ["no id", { payload: { content: "x" }, vector: [1] }],
    ["a number as id", { payload: { ...base, id: 7 }, vector: [1] }],
    ["no content", { payload: { id: "a" }, vector: [1] }],
    ["metadata that is no JSON", { payload: { ...base, metadata: "{" }, vector: [1] }],
    ["metadata that is an object", { payload: { ...base, metadata: {} }, vector: [1] }],
  ])("with %s is damaged", (_title, point) => {
    const damaged = expect.objectContaining({ code: "storage_corrupt" }) as Error;

    expect(() => toDocument(point)).toThrow(damaged);
    expect(() => toWholeDocument(point)).toThrow(damaged);
  });

  it("the point of a document without any vector is damaged where the vector is asked for", () => {
    expect(toDocument({ payload: base })).toEqual(base);
    for (const vector of [undefined, null, { dense: [1] }])
      expect(() => toWholeDocument({ payload: base, vector })).toThrow(
        expect.objectContaining({ code: "storage_corrupt" }),
      );
  });
});

describe("pointIdOf", () => {
  it("is a UUID of version 8 that follows from the id, and another for another id", () => {
    const ids = [
      "",
      "a",
      "A",
      "ä",
      "a\u0308",
      "0",
      "a".repeat(1e5),
      ...Array.from({ length: 200 }, (_, index) => `d${index}`),
    ];
    const points = ids.map(pointIdOf);

    for (const point of points)
      expect(point).toMatch(/^[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
    expect(new Set(points).size).toBe(ids.length);
    // Documents are found by it after an update of this package, too.
    expect(pointIdOf("a")).toBe("ca978112-ca1b-8dca-bac2-31b39a23dc4d");
  });
});

describe("toTermsFilter", () => {
  it("is absent for an empty filter, and has a condition for each name", () => {
    expect(toTermsFilter({})).toBeUndefined();
    expect(toTermsFilter({ a: 1, b: "x" })?.must.map(({ key }) => key)).toEqual(["terms", "terms"]);
  });

  it.each<[string, object]>([
    ["short", { kind: "a" }],
    ["nested", { kind: { a: [1, 2] } }],
    ["long", { kind: "x".repeat(1000) }],
    ...[90, 91, 92, 93, 94, 95].map((length): [string, object] => [`of ${length}`, { k: "x".repeat(length) }]),
  ])("finds the terms of a document with the same metadata: %s", (_title, metadata) => {
    const { terms } = store([1, 0], { metadata: { ...metadata, other: 1 } }).payload;
    const wanted = toTermsFilter(metadata as never)?.must.map(({ match }) => match.value) ?? [];

    expect(wanted).toHaveLength(1);
    for (const term of wanted) expect(terms).toContain(term);
    for (const term of terms) expect(term.length).toBeLessThanOrEqual(100);
  });

  it("keeps terms of up to 100 characters as they are, as stored documents have them", () => {
    const lengths = Array.from({ length: 30 }, (_, index) => 80 + index);
    const terms = lengths.flatMap((length) => store([1, 0], { metadata: { k: "x".repeat(length) } }).payload.terms);
    const plain = terms.filter((term) => term.startsWith('"'));

    expect(Math.max(...plain.map((term) => term.length))).toBe(100);
    expect(terms.slice(plain.length).every((term) => term.startsWith("sha256:"))).toBe(true);
  });

  it("hashes long terms as they were before", () => {
    const [wanted] = toTermsFilter({ k: "x".repeat(200) })?.must ?? [];
    const { terms } = store([1, 0], { metadata: { k: "x".repeat(201) } }).payload;

    expect(wanted?.match.value).toMatch(/^sha256:[\w-]{32}$/);
    expect(terms).not.toContain(wanted?.match.value);
  });
});

it("toUnit divides by the length", () => {
  expect(toUnit({ vector: Float32Array.of(3, 4), length: 5 })).toEqual([3 / 5, 4 / 5]);
});
