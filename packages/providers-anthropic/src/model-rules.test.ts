import { expect, it } from "vitest";
import { rulesOf } from "./model-rules.ts";

it.each([
  // model, thinking, sampling, forced tools, structured output, most tokens
  ["claude-3-opus-20240229", "none", true, true, false, 4096],
  ["claude-3-5-sonnet-latest", "none", true, true, false, 8192],
  ["claude-3-7-sonnet-20250219", "budget", true, true, false, 64_000],
  ["claude-opus-4-20250514", "budget", true, true, false, 32_000],
  ["claude-opus-4-1", "budget", true, true, false, 32_000],
  ["claude-sonnet-4-0", "budget", true, true, false, 64_000],
  ["claude-sonnet-4-5-20250929", "budget", true, true, true, 64_000],
  ["claude-haiku-4-5", "budget", true, true, true, 64_000],
  ["claude-opus-4-5", "budget", true, true, true, 64_000],
  ["claude-opus-4-6", "adaptive", true, true, true, 128_000],
  ["claude-sonnet-4-6", "adaptive", true, true, true, 128_000],
  ["claude-opus-4-7", "adaptive", false, true, true, 128_000],
  ["claude-opus-4-8", "adaptive", false, true, true, 128_000],
  ["claude-sonnet-5", "adaptive", false, false, true, 128_000],
  ["claude-opus-5-5", "adaptive", false, false, true, 128_000],
  ["claude-haiku-5-5", "adaptive", false, false, true, 128_000],
  ["claude-fable-5-2", "adaptive", false, false, true, 128_000],
  ["claude-opus-4-60", "adaptive", false, false, true, 128_000],
  ["somebody-elses", "adaptive", false, false, true, 128_000],
] as const)("ModelRules knows %s", (modelId, ...rules) => {
  const [thinking, sampling, forcedTools, structuredOutput, maxOutputTokens] = rules;

  expect(rulesOf(modelId)).toEqual({ thinking, sampling, forcedTools, structuredOutput, maxOutputTokens });
});

it("ModelRules lets the configuration say otherwise, entry by entry", () => {
  const rules = rulesOf("claude-haiku-4-5");
  expect(rulesOf("claude-haiku-4-5", { sampling: false })).toEqual({ ...rules, sampling: false });
  const unset = { maxOutputTokens: undefined, thinking: undefined } as object;
  expect(rulesOf("claude-haiku-4-5", { ...unset, sampling: false })).toStrictEqual({ ...rules, sampling: false });
});
