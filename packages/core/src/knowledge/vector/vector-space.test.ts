import { describe, expect, it } from "vitest";
import type { StoredDocument, VectorSearchQuery } from "./vector-database.ts";
import { VectorSpace } from "./vector-space.ts";

type Metadata = Record<string, unknown>;

const directed = (...numbers: number[]) => ({ vector: Float32Array.from(numbers), length: Math.hypot(...numbers) });
const documentOf = (id: string, numbers: number[], metadata?: Metadata): StoredDocument => ({
  id,
  content: `text of ${id}`,
  ...(metadata !== undefined && { metadata }),
  ...directed(...numbers),
});

function spaceOf(...documents: StoredDocument[]) {
  const space = new VectorSpace();
  space.write({ documents, deletedIds: [], deletedWhere: undefined });
  const write = (change: Partial<Parameters<VectorSpace["write"]>[0]>) =>
    space.write({ documents: [], deletedIds: [], deletedWhere: undefined, ...change });
  const find = (numbers: number[], options: Partial<VectorSearchQuery> = {}) =>
    space
      .search({ topK: 10, minScore: -Infinity, filter: {}, ...directed(...numbers), ...options })
      .map(({ document, score }) => `${document.id} ${score.toFixed(2)}`);
  return { space, write, find };
}

const four = () => [
  documentOf("a", [1, 0], { n: 1 }),
  documentOf("b", [3, 4], { n: 2 }),
  documentOf("c", [0, 2], { n: 1 }),
  documentOf("d", [-1, 0]),
];

describe("VectorSpace", () => {
  it("finds the nearest by their cosines, above a score and by a filter", () => {
    const { find } = spaceOf(...four());

    expect(find([2, 0])).toEqual(["a 1.00", "b 0.60", "c 0.00", "d -1.00"]);
    expect(find([2, 0], { topK: 2 })).toEqual(["a 1.00", "b 0.60"]);
    expect(find([2, 0], { minScore: 0 })).toEqual(["a 1.00", "b 0.60", "c 0.00"]);
    expect(find([2, 0], { filter: { n: 1 } })).toEqual(["a 1.00", "c 0.00"]);
    expect(find([2, 0], { filter: { n: 1 }, topK: 1, minScore: 0.5 })).toEqual(["a 1.00"]);
    expect(find([2, 0], { filter: { n: 3 } })).toEqual([]);
  });

  it("returns copies: a found document without its vector, a read one with it", () => {
    const tagsOf = (document: { metadata?: Metadata } | null | undefined) =>
      document?.metadata?.["tags"] as string[] | undefined;
    const { space } = spaceOf(documentOf("a", [0.1, 2], { tags: ["x"] }), documentOf("b", [1, 0]));
    const [first] = space.search({ topK: 1, minScore: -1, filter: {}, ...directed(0, 1) });
    tagsOf(first?.document)?.push("y");
    tagsOf(space.get("a"))?.push("z");

    expect(Object.keys(first?.document ?? {})).toEqual(["id", "content", "metadata"]);
    expect(space.get("a")).toStrictEqual({
      id: "a",
      content: "text of a",
      metadata: { tags: ["x"] },
      embedding: [Math.fround(0.1), 2],
    });
    expect(space.get("b")).toStrictEqual({ id: "b", content: "text of b", embedding: [1, 0] });
  });

  it("is empty until it is written to, whatever it is asked", () => {
    const { space, write, find } = spaceOf();
    write({ deletedIds: ["a"], deletedWhere: { n: 1 } });

    expect([space.get("a"), find([1, 2, 3]), space.model]).toEqual([null, [], undefined]);
    write({ documents: [documentOf("a", [1, 2, 3])] });
    expect(find([1, 2, 3])).toEqual(["a 1.00"]);
  });

  it.each([
    [["a"], ["b", "c", "d"]],
    [["d"], ["a", "b", "c"]],
    [["b", "d", "a"], ["c"]],
    [
      ["x", "constructor", "c"],
      ["a", "b", "d"],
    ],
    [["a", "b", "c", "d"], []],
  ])("removes %j, and keeps each other document with its vector", (deletedIds, left) => {
    const { space, write, find } = spaceOf(...four());
    write({ deletedIds });
    write({ deletedIds });

    expect(find([1, 0]).map((found) => found.slice(0, 1))).toEqual(left);
    for (const { id, vector } of four()) {
      expect(space.get(id)?.embedding).toEqual(left.includes(id) ? Array.from(vector) : undefined);
    }
    write({ documents: [documentOf("e", [1, 0]), documentOf("a", [0, 1])] });
    expect([space.get("e")?.embedding, space.get("a")?.embedding]).toEqual([
      [1, 0],
      [0, 1],
    ]);
  });

  it("removes by ids and by a filter before it stores", () => {
    const { find, write } = spaceOf(...four());
    write({
      documents: [documentOf("e", [1, 0], { n: 1 }), documentOf("d", [1, 0])],
      deletedIds: ["d"],
      deletedWhere: { n: 1 },
    });

    expect(find([1, 0])).toEqual(["d 1.00", "e 1.00", "b 0.60"]);
  });

  it("replaces a document as a whole", () => {
    const { space, write, find } = spaceOf(...four());
    write({ documents: [documentOf("a", [0, 5])] });

    expect(space.get("a")).toStrictEqual({ id: "a", content: "text of a", embedding: [0, 5] });
    expect(find([1, 0])).toEqual(["b 0.60", "a 0.00", "c 0.00", "d -1.00"]);
  });

  it("refuses vectors of another length, and changes nothing", () => {
    const { space, write, find } = spaceOf(...four());
    const wrong = { documents: [documentOf("e", [1, 0]), documentOf("a", [1, 2, 3])], deletedIds: ["b"] };
    const refusal = expect.objectContaining({
      code: "invalid_value",
      message: "The embedding must have 2 numbers, as the store's vectors, got 3.",
    });

    expect(() => write(wrong)).toThrow(refusal);
    expect(() => find([1, 2, 3])).toThrow(refusal);
    expect(() => spaceOf(documentOf("a", [1, 2]), documentOf("b", [1, 2, 3]))).toThrow(refusal);
    expect([space.get("e"), find([1, 0])]).toEqual([null, ["a 1.00", "b 0.60", "c 0.00", "d -1.00"]]);
    write({ deletedIds: ["a", "b", "c", "d"] });
    expect(() => write(wrong)).toThrow(refusal);
  });
});
