import type { ReasoningConfig } from "@troupe/core";
import { describe, expect, it } from "vitest";
import { contextOf } from "./test/request-context.ts";
import { toThinking } from "./to-thinking.ts";

const budget = { thinking: "budget", leastThinkingBudget: 128, mostThinkingBudget: 24_576 } as const;
const level = { thinking: "level", thinkingLevels: ["low", "medium", "high"] } as const;
const none = { thinking: "none", leastThinkingBudget: 0 } as const;
const always = "reasoning.enabled false";
const least = "reasoning.effort none";

/** Returns the fields of a request for a setting, and the names of those left out. */
function convert(reasoning: ReasoningConfig | undefined, rules: Parameters<typeof contextOf>[0]) {
  const { context, omitted } = contextOf(rules);
  return [toThinking(reasoning, context).thinkingConfig, omitted];
}

describe("thinking in tokens", () => {
  it.each<[Partial<ReasoningConfig>, number]>([
    [{}, -1],
    [{ effort: "minimal" }, 1024],
    [{ effort: "low" }, 2048],
    [{ effort: "medium" }, 8192],
    [{ effort: "high" }, 24_576],
    [{ effort: "xhigh" }, 24_576],
    [{ budgetTokens: 5000, effort: "low" }, 5000],
    [{ budgetTokens: 127 }, 128],
    [{ budgetTokens: 0 }, 128],
    [{ budgetTokens: 24_577 }, 24_576],
  ])("is asked for by %j as %i", (reasoning, thinkingBudget) => {
    expect(convert({ enabled: true, ...reasoning }, budget)).toEqual([{ includeThoughts: true, thinkingBudget }, []]);
  });

  it("is not turned off by a budget of nothing", () => {
    const rules = { ...budget, leastThinkingBudget: 0 };

    expect(convert({ enabled: true, budgetTokens: 0 }, rules)).toEqual([
      { includeThoughts: true, thinkingBudget: 1 },
      [],
    ]);
  });

  it.each<[ReasoningConfig, number, object | undefined, string[]]>([
    [{ enabled: false }, 0, { thinkingBudget: 0 }, []],
    [{ enabled: true, effort: "none" }, 0, { thinkingBudget: 0 }, []],
    [{ enabled: false }, 128, undefined, [always]],
    [{ enabled: true, effort: "none" }, 128, { thinkingBudget: 128 }, [least]],
  ])("is turned off by %j with a least budget of %i", (reasoning, leastThinkingBudget, ...expected) => {
    expect(convert(reasoning, { ...budget, leastThinkingBudget })).toEqual(expected);
  });
});

describe("thinking in levels", () => {
  it.each<[ReasoningConfig, object | undefined, string[]]>([
    [{ enabled: true }, { includeThoughts: true }, []],
    [{ enabled: true, effort: "minimal" }, { includeThoughts: true, thinkingLevel: "LOW" }, []],
    [{ enabled: true, effort: "medium" }, { includeThoughts: true, thinkingLevel: "MEDIUM" }, []],
    [{ enabled: true, effort: "xhigh" }, { includeThoughts: true, thinkingLevel: "HIGH" }, []],
    [{ enabled: true, budgetTokens: 2048, effort: "high" }, { includeThoughts: true, thinkingLevel: "LOW" }, []],
    [{ enabled: true, budgetTokens: 2049 }, { includeThoughts: true, thinkingLevel: "MEDIUM" }, []],
    [{ enabled: true, budgetTokens: 8192 }, { includeThoughts: true, thinkingLevel: "MEDIUM" }, []],
    [{ enabled: true, budgetTokens: 8193 }, { includeThoughts: true, thinkingLevel: "HIGH" }, []],
    [{ enabled: true, effort: "none" }, { thinkingLevel: "LOW" }, [least]],
    [{ enabled: false }, undefined, [always]],
  ])("is asked for by %j", (reasoning, ...expected) => {
    expect(convert(reasoning, level)).toEqual(expected);
  });
});

describe("a model that does not think", () => {
  it.each<[ReasoningConfig | undefined, string[]]>([
    [{ enabled: true }, ["reasoning"]],
    [{ enabled: true, effort: "none" }, []],
    [{ enabled: false }, []],
    [undefined, []],
  ])("gets nothing for %j", (reasoning, omitted) => {
    expect(convert(reasoning, none)).toEqual([undefined, omitted]);
  });
});
