import { describe, expect, it } from "vitest";
import { sumCounts, readObject, readObjects, readSource, readText, readUsage } from "./vendor-json.ts";

describe("the readers of fields", () => {
  it.each<[unknown, string]>([
    ["word", "word"],
    ["", ""],
    [null, ""],
    [undefined, ""],
    [5, ""],
    [["a"], ""],
    [{}, ""],
  ])("readText of %j is %j", (value, text) => {
    expect(readText(value)).toBe(text);
  });

  it("readObject returns an object itself, and an empty one for anything else", () => {
    const value = { a: 1 };

    expect(readObject(value)).toBe(value);
    for (const other of [null, undefined, "text", 5, ["a"]]) expect(readObject(other)).toEqual({});
  });

  it("readObjects returns the objects of an array in their order", () => {
    const [one, other] = [{ a: 1 }, {}];

    expect(readObjects([one, other])).toEqual([one, other]);
    expect(readObjects([null, one, "text", [], undefined, other])).toEqual([one, other]);
    for (const none of [null, undefined, {}, "text", { length: 1, 0: one }]) expect(readObjects(none)).toEqual([]);
  });

  it.each<[unknown[], number | undefined]>([
    [[5], 5],
    [[0], 0],
    [[1, 2, 3], 6],
    [[1, undefined, null, "2", 3], 4],
    [[-1, 2], 2],
    [[1.5], undefined],
    [[Number.NaN], undefined],
    [["5"], undefined],
    [[], undefined],
    [[undefined], undefined],
    [[2 ** 53], undefined],
    [[Number.MAX_SAFE_INTEGER, 1], Number.MAX_SAFE_INTEGER],
  ])("sumCounts of %j is %j", (values, count) => {
    expect(sumCounts(...values)).toBe(count);
  });
});

describe("readSource", () => {
  it.each<[Parameters<typeof readSource>[0], object[]]>([
    [
      { id: "1", url: "https://a.b", title: "T", toolCallId: "c" },
      [{ id: "1", url: "https://a.b", title: "T", toolCallId: "c" }],
    ],
    [{ id: "1" }, [{ id: "1" }]],
    [{ id: "1", url: "", title: null, toolCallId: 5 }, [{ id: "1" }]],
    [{ title: "T" }, []],
    [{ id: "", url: null }, []],
    [{}, []],
  ])("reads %j as %j", (given, sources) => {
    expect(readSource(given)).toEqual(sources);
  });

  it("makes an id for an address without one, another each time", () => {
    const [one, other] = [readSource({ url: "https://a.b" }), readSource({ url: "https://a.b", id: null })].flat();

    expect(one).toEqual({ id: expect.stringMatching(/./) as string, url: "https://a.b" });
    expect(one?.id).not.toBe(other?.id);
  });
});

describe("readUsage", () => {
  const counts = (usage: Readonly<Record<string, unknown>>) => ({
    promptTokens: usage["in"],
    completionTokens: usage["out"],
    totalTokens: usage["all"],
    cachedTokens: usage["cached"],
    reasoningTokens: usage["thought"],
  });

  it.each<[Record<string, unknown>, object]>([
    [
      { in: 3, out: 4, all: 9, cached: 2, thought: 1 },
      { promptTokens: 3, completionTokens: 4, totalTokens: 9, cachedTokens: 2, reasoningTokens: 1 },
    ],
    [
      { in: 3, out: 4 },
      { promptTokens: 3, completionTokens: 4, totalTokens: 7 },
    ],
    [
      { in: 3, out: 4, all: 0, cached: 0 },
      { promptTokens: 3, completionTokens: 4, totalTokens: 0, cachedTokens: 0 },
    ],
    [{ in: 3 }, { promptTokens: 3, completionTokens: 0, totalTokens: 3 }],
    [{ out: 4 }, { promptTokens: 0, completionTokens: 4, totalTokens: 4 }],
    [{}, { promptTokens: 0, completionTokens: 0, totalTokens: 0 }],
    [
      { in: "3", out: -4, all: 1.5, cached: null, thought: "1" },
      { promptTokens: 0, completionTokens: 0, totalTokens: 0 },
    ],
  ])("reads %j, and keeps it", (usage, read) => {
    const result = readUsage(usage, counts);

    expect(result).toEqual({ ...read, providerMetrics: usage });
    expect(result?.providerMetrics).toBe(usage);
  });

  it.each([[undefined], [null], [5], ["text"], [[]]])("returns undefined for %j", (usage) => {
    expect(readUsage(usage, counts)).toBeUndefined();
  });
});
