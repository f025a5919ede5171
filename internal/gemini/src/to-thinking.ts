import type { ReasoningConfig } from "@troupe/core";
import { nearestReasoningEffort } from "@troupe/core/provider";
import type { ModelRules, ThinkingLevelName } from "./model-rules.ts";
import type { RequestContext } from "./request-context.ts";

/**
 * Gemini's `thinkingConfig`: a budget in tokens (0: no thinking, -1: the model chooses) or a level, depending on the
 * model.
 */
export type Thinking = { includeThoughts?: true; thinkingBudget?: number; thinkingLevel?: string };

/** The thinking budget with which the model chooses its own budget. */
const ownBudget = -1;

/**
 * Converts the option `reasoning` to Gemini's `thinkingConfig`, as the level or the budget that the model accepts.
 * Returns an empty object if the option is missing or the model does not accept it. Logs each part of the option that
 * the model does not support.
 */
export function toThinking(
  reasoning: ReasoningConfig | undefined,
  { rules, reportOmitted }: RequestContext,
): { thinkingConfig?: Thinking } {
  if (reasoning === undefined) return {};
  if (!reasoning.enabled) {
    const off = withoutThinking(rules);
    if (off.thinkingConfig === undefined && rules.thinking !== "none")
      reportOmitted("reasoning.enabled false", "the model always thinks");
    return off;
  }
  if (reasoning.effort === "none") return leastThinking(rules, reportOmitted);
  if (rules.thinking === "none") {
    reportOmitted("reasoning", "the model does not take it");
    return {};
  }
  const measure = rules.thinking === "budget" ? toBudget(reasoning, rules) : toLevel(reasoning, rules);
  return { thinkingConfig: { includeThoughts: true, ...measure } };
}

/** Returns the setting that disables thinking, or an empty object if the model has no such setting. */
function withoutThinking({ thinking, leastThinkingBudget }: ModelRules): { thinkingConfig?: Thinking } {
  return thinking === "budget" && leastThinkingBudget === 0 ? { thinkingConfig: { thinkingBudget: 0 } } : {};
}

/** Returns the setting that disables thinking or, with a log entry, reduces it to the model's minimum. */
function leastThinking(
  rules: ModelRules,
  reportOmitted: RequestContext["reportOmitted"],
): { thinkingConfig?: Thinking } {
  const off = withoutThinking(rules);
  if (off.thinkingConfig !== undefined || rules.thinking === "none") return off;
  reportOmitted("reasoning.effort none", "the model always thinks; it is asked for its least thinking");
  if (rules.thinking === "budget") return { thinkingConfig: { thinkingBudget: rules.leastThinkingBudget } };
  return { thinkingConfig: toLevel({ enabled: true, effort: "minimal" }, rules) };
}

/** Thinking budgets in tokens by effort, for models with budgets. */
const budgets = { none: 0, minimal: 1024, low: 2048, medium: 8192, high: 24_576, xhigh: 32_768 };

function toBudget({ budgetTokens, effort }: ReasoningConfig, rules: ModelRules): Thinking {
  const asked = budgetTokens ?? (effort && budgets[effort]);
  if (asked === undefined) return { thinkingBudget: ownBudget };
  // The thinking budget is at least 1, because 0 would disable thinking.
  const least = Math.max(rules.leastThinkingBudget, 1);
  return { thinkingBudget: Math.max(least, Math.min(asked, rules.mostThinkingBudget)) };
}

function toLevel({ budgetTokens, effort }: ReasoningConfig, { thinkingLevels }: ModelRules): Thinking {
  const wanted = budgetTokens === undefined ? effort : levelFor(budgetTokens);
  const level = wanted && nearestReasoningEffort(wanted, thinkingLevels);
  return level === undefined ? {} : { thinkingLevel: level.toUpperCase() };
}

/** Returns the thinking level for a thinking budget in tokens, for models without budgets. */
function levelFor(budgetTokens: number): ThinkingLevelName {
  if (budgetTokens <= 2048) return "low";
  return budgetTokens <= 8192 ? "medium" : "high";
}
