import type { ReasoningConfig } from "@troupe/core";
import type { ModelRules, ThinkingLevelName } from "./model-rules.ts";
import type { RequestContext } from "./request-context.ts";

/**
 * Gemini's `thinkingConfig`: a budget in tokens (0: no thinking, -1: the model chooses) or a level, by the kind of
 * model.
 */
export type Thinking = { includeThoughts?: true; thinkingBudget?: number; thinkingLevel?: string };

/** Lets the model choose its budget. */
const ownBudget = -1;

/**
 * Converts the option `reasoning` to Gemini's `thinkingConfig`, as a level or a budget, whichever the model takes.
 * Returns an empty object without the option, or, with a log entry, for a model that takes neither.
 */
export function toThinking(
  reasoning: ReasoningConfig | undefined,
  { rules, reportOmitted }: RequestContext,
): { thinkingConfig?: Thinking } {
  if (reasoning === undefined) return {};
  if (!reasoning.enabled || reasoning.effort === "none") return withoutThinking(rules);
  if (rules.thinking === "none") {
    reportOmitted("reasoning", "the model does not take it");
    return {};
  }
  const measure = rules.thinking === "budget" ? toBudget(reasoning, rules) : toLevel(reasoning, rules);
  return { thinkingConfig: { includeThoughts: true, ...measure } };
}

/** Turns thinking off where the model allows it. */
function withoutThinking({ thinking, leastThinkingBudget }: ModelRules): { thinkingConfig?: Thinking } {
  return thinking === "budget" && leastThinkingBudget === 0 ? { thinkingConfig: { thinkingBudget: 0 } } : {};
}

function toBudget({ budgetTokens }: ReasoningConfig, rules: ModelRules): Thinking {
  if (budgetTokens === undefined) return { thinkingBudget: ownBudget };
  // 0 would turn thinking off.
  const least = Math.max(rules.leastThinkingBudget, 1);
  return { thinkingBudget: Math.max(least, Math.min(budgetTokens, rules.mostThinkingBudget)) };
}

function toLevel({ budgetTokens, effort }: ReasoningConfig, { thinkingLevels }: ModelRules): Thinking {
  const wanted = budgetTokens === undefined ? nearestLevel(effort) : levelFor(budgetTokens);
  if (wanted === undefined) return {};
  const atLeast = levels.slice(levels.indexOf(wanted));
  const level = atLeast.find((each) => thinkingLevels.includes(each)) ?? thinkingLevels.at(-1);
  return level === undefined ? {} : { thinkingLevel: level.toUpperCase() };
}

const levels: readonly ThinkingLevelName[] = ["low", "medium", "high"];

/** The level that is nearest to an effort. */
function nearestLevel(effort: ReasoningConfig["effort"]): ThinkingLevelName | undefined {
  if (effort === undefined || effort === "none") return undefined;
  if (effort === "minimal") return "low";
  return effort === "xhigh" ? "high" : effort;
}

/** The level for a budget, for models without budgets. */
function levelFor(budgetTokens: number): ThinkingLevelName {
  if (budgetTokens <= 2048) return "low";
  return budgetTokens <= 8192 ? "medium" : "high";
}
