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

describe("The messages about wrong options", () => {
  const client = { models: { generateContent: () => {} } };

  it.each<[object, string]>([
    [
      { rules: { thinkingLevels: [] } },
      "rules.thinkingLevels must be an array of levels that is not empty, got an array.",
    ],
    [
      { rules: { thinkingLevels: {} } },
      "rules.thinkingLevels must be an array of levels that is not empty, got an object.",
    ],
    [
      { rules: { thinkingLevels: ["low", "most"] } },
      'rules.thinkingLevels[1] must be "minimal", "low", "medium" or "high", got a string.',
    ],
    [{ rules: { mostThinkingBudget: 0 } }, "rules.mostThinkingBudget must be a positive integer, got 0."],
    [
      { client },
      "client must be a GoogleGenAI, with models.generateContent and models.generateContentStream, got an object.",
    ],
    [
      { client: { models: { generateContentStream: () => {} } } },
      "client must be a GoogleGenAI, with models.generateContent and models.generateContentStream, got an object.",
    ],
    [{ idleTimeoutMs: 0 }, "idleTimeoutMs must be an integer from 1 to 2147483647, got 0."],
    [
      { other: 1 },
      'Unknown option "other" of google. Expected apiKey, baseURL, useEnvironmentKey, idleTimeoutMs, allowPrivateUrls, logger, headers, fetch, proxy, dispatcher, rules or client.',
    ],
  ])("for a model with %o are exact", (options, message) => {
    expect(() => readModelOptions("gemini-3-pro", options, names)).toThrow(
      expect.objectContaining({ code: "invalid_config", message }),
    );
  });

  it.each<[object, string]>([
    [{ model: "a b" }, "model must be the id of a model, got a string."],
    [{ client }, "client must be a GoogleGenAI, with models.embedContent, got an object."],
    [{ timeoutMs: 0 }, "timeoutMs must be an integer from 1 to 2147483647, got 0."],
  ])("for embeddings with %o are exact", (options, message) => {
    expect(() => readEmbeddingsOptions(options, names)).toThrow(
      expect.objectContaining({ code: "invalid_config", message }),
    );
  });
});
