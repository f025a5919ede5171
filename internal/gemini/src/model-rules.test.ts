import { expect, it } from "vitest";
import { rulesOf } from "./model-rules.ts";

const all = ["low", "medium", "high"];

it.each([
  // model, thinking, levels, least and largest budget, signatures (and media in results), response format with tools
  ["gemini-1.5-pro-002", "none", all, 0, 24_576, false, false],
  ["gemini-pro", "none", all, 0, 24_576, false, false],
  ["gemini-2.0-flash-lite", "none", all, 0, 24_576, false, false],
  ["gemini-2.5-flash", "budget", all, 0, 24_576, false, false],
  ["gemini-2.5-flash-lite-preview-09-2025", "budget", all, 0, 24_576, false, false],
  ["models/gemini-2.5-pro", "budget", all, 128, 32_768, false, false],
  ["gemini-2.5-flash-preview-tts", "none", all, 0, 24_576, false, false],
  ["gemini-3-pro-preview", "level", ["low", "high"], 0, 24_576, true, true],
  ["gemini-3.1-pro", "level", all, 0, 24_576, true, true],
  ["gemini-3.8-flash", "level", ["minimal", ...all], 0, 24_576, true, true],
  ["gemini-3-pro-image", "none", ["low", "high"], 0, 24_576, true, true],
  ["gemini-flash-latest", "level", all, 0, 24_576, true, true],
  ["gemini-pro-latest", "level", all, 0, 24_576, true, true],
  ["gemini-12-ultra", "level", all, 0, 24_576, true, true],
  ["publishers/google/models/gemini-4-flash", "level", all, 0, 24_576, true, true],
  ["gemma-3-27b-it", "none", all, 0, 24_576, false, false],
  ["projects/p/locations/l/endpoints/7", "none", all, 0, 24_576, false, false],
] as const)("rulesOf knows %s", (modelId, ...rules) => {
  const [thinking, thinkingLevels, leastThinkingBudget, mostThinkingBudget, signatures, formatWithTools] = rules;

  expect(rulesOf(modelId)).toEqual({
    thinking,
    thinkingLevels,
    leastThinkingBudget,
    mostThinkingBudget,
    signatures,
    formatWithTools,
    // The generation that has signatures also takes media in the results of tools.
    mediaInResults: signatures,
  });
});

it("rulesOf overrides single entries", () => {
  const overrides = { signatures: true, thinking: undefined } as object;

  expect(rulesOf("gemini-2.5-pro", overrides)).toEqual({ ...rulesOf("gemini-2.5-pro"), signatures: true });
});
