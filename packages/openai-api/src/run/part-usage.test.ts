import { expect, it } from "vitest";
import type { TokenUsage } from "@troupe/core";
import type { PartEvent } from "./part-events.ts";
import { PartUsage } from "./part-usage.ts";
import type { StoredPart } from "./run-parts.ts";

const tokens = (count: number, more: Partial<TokenUsage> = {}): TokenUsage => {
  return { promptTokens: count, completionTokens: 1, totalTokens: count + 1, ...more };
};
const sum = (...counts: number[]) => ({
  promptTokens: counts.reduce((one, other) => one + other, 0),
  completionTokens: counts.length,
  totalTokens: counts.reduce((one, other) => one + other + 1, 0),
});
const done = (step: string, usage?: TokenUsage) =>
  ({ type: "done", step, value: null, durationMs: 1, id: "", ...(usage && { usage }) }) as const;
const finish = {
  type: "chunk",
  step: "m/0",
  id: "",
  chunk: { type: "finish", finishReason: "stop", usage: tokens(7) },
};

function usageOf(events: readonly unknown[], earlier: readonly unknown[][] = [], whole?: TokenUsage) {
  const used = new PartUsage(
    earlier.map((part) => ({ events: part, waitIds: [], attempts: 1 }) as unknown as StoredPart),
  );
  for (const event of events) used.add(event as PartEvent);
  return used.of(whole);
}

it.each<[what: string, used: TokenUsage | undefined, expected: TokenUsage | undefined]>([
  ["unknown without any event", usageOf([]), undefined],
  ["unknown without a step that used tokens", usageOf([done("in"), done("t/0/0")]), undefined],
  ["that of its answer, if no step is known", usageOf([finish]), tokens(7)],
  ["that of its steps", usageOf([finish, done("m/0", tokens(5)), done("m/1", tokens(6))]), sum(5, 6)],
  ["that of its own steps", usageOf([done("m/1", tokens(6))], [[done("m/0", tokens(5))]]), sum(6)],
  ["unknown if only earlier parts have steps", usageOf([], [[done("m/0", tokens(5)), finish]]), undefined],
  ["the rest of the whole run", usageOf([], [[done("m/0", tokens(5))]], sum(5, 6)), sum(6)],
  ["the whole run without earlier parts", usageOf([finish], [], sum(5, 6)), sum(5, 6)],
  [
    "never below zero",
    usageOf([], [[done("m/0", tokens(5))]], tokens(4)),
    { ...tokens(0), completionTokens: 0, totalTokens: 0 },
  ],
  [
    "counted once for a step within a step",
    usageOf([done("m/0", tokens(1)), done("t/0/0/c0/m/0", tokens(5)), done("t/0/0", tokens(5))]),
    sum(1, 5),
  ],
  [
    "not that of a step within an earlier part",
    usageOf([done("t/0/0", sum(5, 6))], [[done("t/0/0/c0/m/0", tokens(5))]]),
    sum(6),
  ],
  [
    "that of a step beside one with a longer name",
    usageOf([done("t/0/10", tokens(5)), done("t/0/1", tokens(6))]),
    sum(5, 6),
  ],
  [
    "with the counters that are known",
    usageOf([done("m/1", tokens(6, { cachedTokens: 3 }))], [[done("m/0", tokens(5, { reasoningTokens: 2 }))]]),
    tokens(6, { cachedTokens: 3, reasoningTokens: 0 }),
  ],
])("the usage of a part is %s", (_what, used, expected) => {
  expect(used).toEqual(expected);
});
