import { describe, expect, it } from "vitest";
import type { VectorWrite } from "@troupe/core/vector";
import { checkSizes, toRequests as toRequestsOf } from "./point-requests.ts";
import { pointIdOf } from "./stored-point.ts";

const toRequests = (change: VectorWrite) => toRequestsOf(change, { takesWords: false });

it("toRequests stores the words of documents in a collection that takes them", () => {
  const document = { id: "a", content: "a ".repeat(2000), vector: Float32Array.of(1, 0), length: 1 };
  const words = Array.from({ length: 90 }, (_, index) => `w${index}`).join(" ");
  const documents = [document, { ...document, id: "b", content: words }, { ...document, id: "c", content: "?" }];
  const change = { documents, deletedIds: [], deletedWhere: undefined };
  const points = (takesWords: boolean) =>
    [...toRequestsOf(change, { takesWords })].flat().map((each) => ("upsert" in each ? each.upsert.points : []));

  const stored = points(true).flat();
  expect(stored[0]?.vector).toMatchObject({ "": [1, 0], words: { indices: [expect.any(Number)] } });
  expect(stored[1]?.vector).toHaveProperty("words.indices.length", 90);
  expect(stored[2]?.vector).toEqual([1, 0]);
  expect(points(false).flat()[0]?.vector).toEqual([1, 0]);
});

describe("toRequests", () => {
  it("makes none for a change without anything", () => {
    expect([...toRequests({ documents: [], deletedIds: [], deletedWhere: undefined })]).toEqual([]);
  });
});

const documentOf = (id: string, more: object = {}) => ({
  id,
  content: "text",
  vector: Float32Array.of(1, 0),
  length: 1,
  ...more,
});
const changeOf = (change: Partial<VectorWrite>): VectorWrite => ({
  documents: [],
  deletedIds: [],
  deletedWhere: undefined,
  ...change,
});
const pointOf = (id: string, metadata?: object) => ({
  id: pointIdOf(id),
  vector: [1, 0],
  payload: { id, content: "text", terms: metadata ? ['"n":1'] : [], ...(metadata && { metadata: '{"n":1}' }) },
});

describe("The operations of a change", () => {
  const must = [{ key: "terms", match: { value: '"n":1' } }];

  it("store first, then remove by id, then by filter what the change does not store", () => {
    const documents = [documentOf("a", { metadata: { n: 1 } }), documentOf("b")];

    expect([...toRequests({ documents, deletedIds: ["c", "d"], deletedWhere: { n: 1 } })]).toEqual([
      [
        { upsert: { points: [pointOf("a", { n: 1 }), pointOf("b")] } },
        { delete: { points: [pointIdOf("c"), pointIdOf("d")] } },
        { delete: { filter: { must, must_not: [{ has_id: [pointIdOf("a")] }] } } },
      ],
    ]);
  });

  it("have no exception where no stored document matches, and no filter for an empty one", () => {
    const documents = [documentOf("b")];

    expect([...toRequests(changeOf({ documents, deletedWhere: { n: 1 } }))].flat().at(-1)).toEqual({
      delete: { filter: { must } },
    });
    expect([...toRequests(changeOf({ deletedWhere: {} }))]).toEqual([]);
  });

  it.each([
    [10_000, [10_000]],
    [10_001, [10_000, 1]],
  ])("divide %d ids", (count, sizes) => {
    const deletedIds = Array.from({ length: count }, (_, index) => `d${index}`);

    expect([...toRequests(changeOf({ deletedIds }))].map((request) => request.length)).toEqual([sizes.length]);
    expect(
      [...toRequests(changeOf({ deletedIds }))]
        .flat()
        .map((operation) => "delete" in operation && "points" in operation.delete && operation.delete.points.length),
    ).toEqual(sizes);
  });

  // 150 bytes for the vector and the point, and 34 for the payload without its content.
  const sized = (id: string, bytes: number, more = {}) => documentOf(id, { content: "x".repeat(bytes - 184), ...more });
  const half = 2 ** 22;
  const sizesOf = (change: Partial<VectorWrite>) =>
    [...toRequests(changeOf(change))].map((request) =>
      request.map((operation) => ("upsert" in operation ? operation.upsert.points.length : "delete")),
    );

  it.each([
    [[half, half], [[2]]],
    [
      [half, half + 1, 300],
      [[1], [2]],
    ],
    [
      [half, half + 1, half - 1],
      [[1], [2]],
    ],
    [
      [half, half + 1, half],
      [[1], [1], [1]],
    ],
    [
      [2 * half + 1, 300],
      [[1], [1]],
    ],
  ])("store documents of %j bytes, with at most 8 MiB in a request of several, by %j", (bytes, sizes) => {
    expect(sizesOf({ documents: bytes.map((size, index) => sized(String(index), size)) })).toEqual(sizes);
  });

  it.each([
    ["ü", 2],
    ["€", 3],
    ["🐑", 4],
    ['"', 2],
    ["\u0001", 6],
  ])("count the bytes that %j needs in JSON", (character, bytes) => {
    const rest = half - 184;
    const content = character.repeat(Math.floor(rest / bytes)) + "x".repeat(rest % bytes);
    const document = documentOf("a", { content });

    expect(sizesOf({ documents: [document, sized("b", half)] })).toEqual([[2]]);
    expect(sizesOf({ documents: [document, sized("b", half + 1)] })).toEqual([[1], [1]]);
  });

  it("count 25 bytes for each number of a vector", () => {
    const vector = Float32Array.from({ length: 1002 }, (_, index) => (index === 0 ? 1 : 0));
    const long = sized("a", half - 25_000, { vector });

    expect(sizesOf({ documents: [long, sized("b", half)] })).toEqual([[2]]);
    expect(sizesOf({ documents: [long, sized("b", half + 1)] })).toEqual([[1], [1]]);
  });

  it("count 39 bytes for each removed id", () => {
    const documents = [sized("a", half), sized("b", half - 3 * 39)];

    expect(sizesOf({ documents, deletedIds: ["c", "d", "e"] })).toEqual([[2, "delete"]]);
    expect(sizesOf({ documents, deletedIds: ["c", "d", "e", "f"] })).toEqual([[2], ["delete"]]);
  });

  it("count the bytes of a filter, and of the ids that it does not remove", () => {
    // The JSON of the filter has 61 bytes: {"must":[{"key":"terms","match":{"value":"\"n\":\"üü\""}}]}
    const deletedWhere = { n: "üü" };
    const kept = documentOf("k", { metadata: deletedWhere });
    // The kept document has 150 bytes as above, and 84 in its payload.
    const taken = 39 + 61 + 150 + 84;

    expect(sizesOf({ documents: [kept, sized("a", half), sized("b", half - taken)], deletedWhere })).toEqual([
      [3, "delete"],
    ]);
    expect(sizesOf({ documents: [kept, sized("a", half), sized("b", half - taken + 1)], deletedWhere })).toEqual([
      [3],
      ["delete"],
    ]);
  });
});

it.each([
  ["\u0001", 5_417_612, 32_505_862],
  ["€", 10_835_224, 32_505_859],
])("checkSizes refuses a document that no request can hold, with the size of its JSON, for %j", (...row) => {
  const [character, most, bytes] = row;
  // 184 bytes for all but the content.
  const sized = (length: number) => documentOf("a", { content: character.repeat(length) });

  expect(() => checkSizes([sized(most)])).not.toThrow();
  expect(() => checkSizes([sized(1), sized(most + 1)])).toThrow(
    expect.objectContaining({
      code: "invalid_value",
      message: `The document needs about ${bytes} bytes in a request to Qdrant, which takes 32505856: split it.`,
    }),
  );
});
