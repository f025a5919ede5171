import { describe, expect, it } from "vitest";
import { checkSearchOptions, readSearchOptions } from "./read-search-options.ts";
import type { VectorSearchOptions } from "./vector-store.ts";

describe("readSearchOptions", () => {
  it.each<[VectorSearchOptions | undefined, object]>([
    [undefined, { topK: 10, minScore: -Infinity, filter: {} }],
    [{}, { topK: 10, minScore: -Infinity, filter: {} }],
    [
      { topK: undefined, minScore: undefined, filter: undefined },
      { topK: 10, minScore: -Infinity, filter: {} },
    ],
    [
      { topK: 1, minScore: 0, filter: { a: null } },
      { topK: 1, minScore: 0, filter: { a: null } },
    ],
    [
      { topK: 10_000, minScore: -1 },
      { topK: 10_000, minScore: -1, filter: {} },
    ],
    [{ minScore: 1.5 }, { topK: 10, minScore: 1.5, filter: {} }],
  ])("adds the defaults to %j", (options, checked) => {
    expect(readSearchOptions(options)).toStrictEqual(checked);
  });

  it("copies the filter", () => {
    const filter = { tags: ["a"] };
    const checked = readSearchOptions({ filter });
    filter.tags.push("b");

    expect(checked.filter).toEqual({ tags: ["a"] });
  });

  it.each<[VectorSearchOptions, string]>([
    [{ topK: 0 }, "topK must be an integer from 1 to 10000, got 0."],
    [{ topK: 10_001 }, "topK must be an integer from 1 to 10000, got 10001."],
    [{ topK: 1.5 }, "topK must be an integer from 1 to 10000, got 1.5."],
    [{ topK: Number.NaN }, "topK must be an integer from 1 to 10000, got NaN."],
    [{ topK: Infinity }, "topK must be an integer from 1 to 10000, got Infinity."],
    [{ minScore: Number.NaN }, "minScore must be a finite number, got NaN."],
    [{ minScore: -Infinity }, "minScore must be a finite number, got -Infinity."],
    [{ filter: { a: undefined } }, 'filter["a"] must not be undefined'],
  ])("refuses %j, also to pass it on", (options, message) => {
    const refusal = expect.objectContaining({ code: "invalid_value", message: expect.stringContaining(message) });

    expect(() => readSearchOptions(options)).toThrow(refusal);
    expect(() => checkSearchOptions(options)).toThrow(refusal);
  });
});

describe("checkSearchOptions", () => {
  it.each<[VectorSearchOptions, object]>([
    [{}, { topK: 10, filter: {} }],
    [{ minScore: undefined }, { topK: 10, filter: {} }],
    [
      { topK: 3, minScore: 0, filter: { a: 1 } },
      { topK: 3, minScore: 0, filter: { a: 1 } },
    ],
  ])("adds no minScore to %j", (options, checked) => {
    expect(checkSearchOptions(options)).toStrictEqual(checked);
  });
});
