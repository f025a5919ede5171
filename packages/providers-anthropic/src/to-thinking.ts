import type { MessageParam, OutputConfig, ThinkingConfigParam } from "@anthropic-ai/sdk/resources/messages";
import type { ModelOptions, ReasoningConfig } from "@troupe/core";
import { nearestReasoningEffort } from "@troupe/core/provider";
import { isThinking } from "./replay.ts";
import type { RequestContext } from "./request-context.ts";

/**
 * The thinking settings of a request, and `maxTokens`, the limit of answer and thinking together. The limit is raised
 * only if the budget would not fit into it.
 */
export type Thinking = {
  thinking?: ThinkingConfigParam;
  effort?: NonNullable<OutputConfig["effort"]>;
  maxTokens: number;
};

const plainTokens = 16_384;
/** The default limit of output tokens for a model that thinks, because thinking counts as output. */
const thoughtfulTokens = 32_000;
const leastBudget = 1024;
/** Token budgets by effort, for models with budgets; `usual` applies without an effort. */
const budgets = { minimal: 1024, low: 2048, medium: 8192, high: 24_576, xhigh: 32_768, usual: 4096 };
/** Smallest number of tokens for the answer in addition to the budget. */
const leastAnswer = 1024;

/**
 * Converts the options `reasoning` and `maxTokens` to the thinking settings and token limit of a request. Omits
 * thinking, with a log entry, if the model does not support it, or the history lacks the thinking that led to its tool
 * calls.
 */
export function toThinking(
  { reasoning, maxTokens }: ModelOptions,
  messages: readonly MessageParam[],
  { rules, reportOmitted }: RequestContext,
): Thinking {
  const mostTokens = (usual: number): number => maxTokens ?? Math.min(usual, rules.maxOutputTokens);
  if (reasoning?.enabled !== true) {
    reportThinking(reasoning, { rules, reportOmitted });
    return { maxTokens: mostTokens(plainTokens) };
  }
  if (reasoning.effort === "none")
    return { ...leastThinking(rules, reportOmitted), maxTokens: mostTokens(plainTokens) };
  if (rules.thinking === "adaptive") return { ...adaptive(reasoning), maxTokens: mostTokens(thoughtfulTokens) };
  const obstacle = rules.thinking === "none" ? "the model does not take it" : lostThought(messages);
  if (obstacle !== undefined) {
    reportOmitted("reasoning", obstacle);
    return { maxTokens: mostTokens(plainTokens) };
  }
  const budget = withinBounds(
    reasoning.budgetTokens ?? budgets[reasoning.effort ?? "usual"],
    rules.maxOutputTokens - leastAnswer,
  );
  return {
    thinking: { type: "enabled", budget_tokens: budget },
    maxTokens: Math.max(mostTokens(thoughtfulTokens), budget + leastAnswer),
  };
}

function withinBounds(budget: number, most: number): number {
  return Math.max(leastBudget, Math.min(budget, most));
}

function adaptive({ budgetTokens, effort }: ReasoningConfig): Pick<Thinking, "thinking" | "effort"> {
  const asked = effort && nearestReasoningEffort(effort, efforts);
  const tried = budgetTokens === undefined ? asked : effortFor(budgetTokens);
  // Without `display`, newer models send no text of their thinking.
  return { thinking: { type: "adaptive", display: "summarized" }, ...(tried !== undefined && { effort: tried }) };
}

const efforts = ["low", "medium", "high", "xhigh"] as const;

/** Returns true if a model thinks even without the setting. Models that cannot be forced to call a tool do so. */
export function alwaysThinks({ thinking, forcedTools }: RequestContext["rules"]): boolean {
  return thinking === "adaptive" && !forcedTools;
}

function reportThinking(
  reasoning: ReasoningConfig | undefined,
  { rules, reportOmitted }: Pick<RequestContext, "rules" | "reportOmitted">,
): void {
  if (reasoning !== undefined && alwaysThinks(rules))
    reportOmitted("reasoning.enabled false", "the model always thinks");
}

function leastThinking(
  rules: RequestContext["rules"],
  reportOmitted: RequestContext["reportOmitted"],
): Pick<Thinking, "effort"> {
  if (!alwaysThinks(rules)) return {};
  reportOmitted("reasoning.effort none", "the model always thinks; it is asked for its least effort");
  return { effort: "low" };
}

/** Returns the effort for a token budget, for models without budgets. */
function effortFor(budgetTokens: number): NonNullable<Thinking["effort"]> {
  if (budgetTokens <= 2048) return "low";
  if (budgetTokens <= 8192) return "medium";
  return budgetTokens <= 24_576 ? "high" : "xhigh";
}

/**
 * Returns a reason to disable thinking if the history lacks the thinking that led to a tool call. With a budget, the
 * vendor requires it for every call since the last user message.
 */
function lostThought(messages: readonly MessageParam[]): string | undefined {
  const asked = messages.findLastIndex((message) => message.role === "user" && !has(message, ["tool_result"]));
  const calls = messages.slice(asked + 1).filter((message) => has(message, ["tool_use"]));
  const isLost = calls.some(({ content }) => typeof content === "string" || !content.slice(0, 1).some(isThinking));
  return isLost ? "the thinking that led to the calls of this turn is gone" : undefined;
}

function has({ content }: MessageParam, types: readonly string[]): boolean {
  return typeof content !== "string" && content.some(({ type }) => types.includes(type));
}
