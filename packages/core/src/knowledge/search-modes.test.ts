import { describe, expect, it } from "vitest";
import type { VectorSearchResult, VectorStore } from "./vector/vector-store.ts";
import { ModalSearch } from "./search-modes.ts";

const found = (id: string, score: number): VectorSearchResult => ({
  document: { id, content: `content of ${id}`, metadata: {} },
  score,
});

/** A store that records its searches. */
function storeOf(answers: { byVector?: VectorSearchResult[]; byText?: VectorSearchResult[]; hasText?: boolean[] }) {
  const asked: unknown[] = [];
  const store = {
    search: async (_vector: unknown, options: unknown) => {
      asked.push(["vector", options]);
      return answers.byVector ?? [];
    },
    searchText: async (query: string, options: unknown) => {
      asked.push([query, options]);
      return answers.byText ?? [];
    },
    hasTextIndex: async () => {
      asked.push("hasTextIndex");
      return answers.hasText?.shift() ?? false;
    },
  } as unknown as VectorStore;
  return { modal: new ModalSearch(store), asked };
}

const searchWith = (options: { topK: number; minScore?: number; filter?: Record<string, unknown> }) => ({
  query: "wörter",
  options: options as never,
  signal: undefined,
  embed: async () => [1, 0],
});

describe("ModalSearch", () => {
  it.each(["hybrid", "text"] as const)("passes the filter to the text index in the mode %s", async (mode) => {
    const filter = { owner: "ünal" };
    const { modal, asked } = storeOf({ byText: [found("a", 1)] });
    await modal.search(mode, searchWith({ topK: 3, filter }));
    expect(asked.find((each) => Array.isArray(each) && each[0] === "wörter")).toMatchObject(["wörter", { filter }]);
  });

  it.each([
    [undefined, ["a", "b", "text"]],
    [0, ["a", "b"]],
    [0.1, ["a", "b"]],
    [-1, ["a", "b"]],
  ])("ModalSearch with minScore %j joins only results that have a score: %j", async (minScore, ids) => {
    const { modal } = storeOf({ byVector: [found("a", 0.9), found("b", 0.8)], byText: [found("text", 5)] });
    const results = await modal.search("hybrid", searchWith({ topK: 9, ...(minScore !== undefined && { minScore }) }));
    expect(results.map(({ document }) => document.id).toSorted()).toEqual(ids);
  });

  it("asks for a text index until there is one, and not again", async () => {
    const { modal, asked } = storeOf({ hasText: [false, true, false] });
    const modes = [];
    for (let round = 0; round < 4; round++) modes.push(await modal.modeOf(undefined, {}));
    expect(modes).toEqual(["vector", "hybrid", "hybrid", "hybrid"]);
    expect(asked).toEqual(["hasTextIndex", "hasTextIndex"]);
  });

  it.each([
    ["hybrid", undefined, undefined],
    ["vector", undefined, 0],
    ["vector", undefined, 0.5],
    ["hybrid", "hybrid", 0],
    ["text", "text", undefined],
  ] as const)("is %s if %j is asked for with minScore %j", async (mode, asked, minScore) => {
    const { modal } = storeOf({ hasText: [true] });
    expect(await modal.modeOf(asked, minScore === undefined ? {} : { minScore })).toBe(mode);
  });
});
