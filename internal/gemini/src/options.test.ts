import { describe, expect, it } from "vitest";
import { readEmbeddingsOptions, readModelOptions } from "./options.ts";

const names = { owner: "google", more: {} };

describe("readModelOptions", () => {
  it.each(["gemini-3-pro", "tunedModels/a", "publishers/x/models/y@001", "@a", "_a", "-a", "a:b"])(
    "takes the id %j",
    (id) => {
      expect(readModelOptions(id, {}, names).modelId).toBe(id);
    },
  );

  it.each(["", " ", "/a", ".a", "a/../b", "a..b", "a?b", "a#b", "a b", "a%2f", "é", "a\n"])(
    "refuses the id %j, which would change a URL",
    (id) => {
      expect(() => readModelOptions(id, {}, names)).toThrow(/modelId.*the id of a model/);
    },
  );

  it("takes rules over those of the model", () => {
    const rules = { thinkingLevels: ["low"], leastThinkingBudget: 0, mostThinkingBudget: 1 } as const;

    expect(readModelOptions("gemini-2.5-pro", { rules }, names).rules).toEqual({
      ...rules,
      thinking: "budget",
      signatures: false,
      formatWithTools: false,
      mediaInResults: false,
    });
  });

  it.each<[rules: object, words: RegExp]>([
    [{ thinkingLevels: [] }, /thinkingLevels.*not empty/],
    [{ thinkingLevels: "low" }, /thinkingLevels.*an array/],
    [{ thinkingLevels: ["low", "most"] }, /thinkingLevels\[1\]/],
    [{ leastThinkingBudget: -1 }, /leastThinkingBudget/],
    [{ mostThinkingBudget: 0 }, /mostThinkingBudget/],
    [{ thinking: "levels" }, /thinking/],
    [{ signatures: 1 }, /signatures/],
  ])("refuses the rules %j", (rules, words) => {
    expect(() => readModelOptions("gemini-3-pro", { rules }, names)).toThrow(words);
  });
});

describe("readEmbeddingsOptions", () => {
  it("waits ten minutes unless told otherwise", () => {
    expect(readEmbeddingsOptions({}, names).timeoutMs).toBe(600_000);
    expect(readEmbeddingsOptions({ timeoutMs: 5 }, names).timeoutMs).toBe(5);
  });

  it("refuses the id of a model that would change a URL", () => {
    expect(() => readEmbeddingsOptions({ model: "a/../b" }, names)).toThrow(/model/);
  });
});
