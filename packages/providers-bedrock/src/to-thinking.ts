import type { ModelOptions, ReasoningConfig } from "@troupe/core";
import { nearestReasoningEffort } from "@troupe/core/provider";
import type { RequestContext } from "./request-context.ts";
import type { WireMessage } from "./wire-types.ts";

/**
 * The thinking settings of a request: the model's own fields, the effort, and the limit of tokens, which includes
 * thinking. `isFree` is true if the model, with these settings, accepts neither a limit nor settings for sampling.
 */
export type Thinking = {
  fields?: Record<string, unknown>;
  effort?: string;
  maxTokens?: number;
  thinks?: boolean;
  isFree?: boolean;
};

/** Token budgets by effort, for Claude models with budgets; `usual` applies without an effort. */
const budgets = { none: 1024, minimal: 1024, low: 2048, medium: 8192, high: 24_576, xhigh: 32_768, usual: 4096 };
const leastBudget = 1024;
/** Number of tokens for the answer in addition to the budget, if the call has no limit. */
const answerTokens = 16_384;
/** Smallest number of tokens for the answer in addition to the budget. */
const leastAnswer = 1024;

/**
 * Converts the options `reasoning` and `maxTokens` to the settings of the model's family. Omits thinking, with a
 * report, if the model does not support it, or the history lacks the thinking that led to its tool calls.
 */
export function toThinking(
  { reasoning, maxTokens }: ModelOptions,
  messages: readonly WireMessage[],
  context: RequestContext,
): Thinking {
  const limit = maxTokens === undefined ? {} : { maxTokens };
  if (reasoning === undefined) return limit;
  if (!reasoning.enabled || reasoning.effort === "none") return { ...withoutThinking(reasoning, context), ...limit };
  switch (context.rules.thinking) {
    case "adaptive":
      return { ...adaptive(reasoning), ...limit };
    case "budget":
      return budgeted(reasoning, { messages, maxTokens }, context);
    case "effort":
      return toEffort(reasoning, maxTokens, context);
    case "always":
      reportDegree(reasoning, context);
      return limit;
    default:
      context.reportOmitted("reasoning", "the model does not take it");
      return limit;
  }
}

/** Returns true if a model thinks even without the setting. */
function alwaysThinks({ thinking, toolChoice }: RequestContext["rules"]): boolean {
  // Claude models that always think are the models that cannot be made to call a tool.
  return thinking === "always" || (thinking === "adaptive" && toolChoice === "none");
}

function withoutThinking({ enabled }: ReasoningConfig, { rules, reportOmitted }: RequestContext): Thinking {
  if (!alwaysThinks(rules)) return {};
  const isLeast = enabled && rules.thinking === "adaptive";
  const reason = "the model always thinks";
  reportOmitted(
    enabled ? "reasoning.effort none" : "reasoning.enabled false",
    isLeast ? `${reason}; it is asked for its least effort` : reason,
  );
  return isLeast ? { effort: "low" } : {};
}

function adaptive({ budgetTokens, effort }: ReasoningConfig): Thinking {
  const asked = effort && nearestReasoningEffort(effort, ["low", "medium", "high", "xhigh"]);
  const tried = budgetTokens === undefined ? asked : effortFor(budgetTokens);
  return {
    // Without `display`, newer models send no text of their thinking.
    fields: { thinking: { type: "adaptive", display: "summarized" } },
    ...(tried !== undefined && { effort: tried }),
    thinks: true,
  };
}

/** Returns the effort for a token budget, for models without budgets. */
function effortFor(budgetTokens: number): "low" | "medium" | "high" | "xhigh" {
  if (budgetTokens <= 2048) return "low";
  if (budgetTokens <= 8192) return "medium";
  return budgetTokens <= 24_576 ? "high" : "xhigh";
}

type Asked = { messages: readonly WireMessage[]; maxTokens: number | undefined };

function budgeted(reasoning: ReasoningConfig, { messages, maxTokens }: Asked, context: RequestContext): Thinking {
  if (hasLostThought(messages)) {
    context.reportOmitted("reasoning", "the thinking that led to the calls of this turn is gone");
    return maxTokens === undefined ? {} : { maxTokens };
  }
  const budget = Math.max(leastBudget, reasoning.budgetTokens ?? budgets[reasoning.effort ?? "usual"]);
  return {
    fields: { thinking: { type: "enabled", budget_tokens: budget } },
    maxTokens: maxTokens === undefined ? budget + answerTokens : Math.max(maxTokens, budget + leastAnswer),
    thinks: true,
  };
}

/**
 * Returns true if the history lacks the thinking that led to a tool call since the last message of the user. Claude
 * with a budget refuses such a history.
 */
function hasLostThought(messages: readonly WireMessage[]): boolean {
  const isAsked = ({ role, content }: WireMessage) =>
    role === "user" && !content.some((block) => "toolResult" in block);
  const turn = messages.slice(messages.findLastIndex(isAsked) + 1);
  return turn.some(
    ({ content: [first, ...rest] }) =>
      [first, ...rest].some((block) => block !== undefined && "toolUse" in block) &&
      (first === undefined || !("reasoningContent" in first)),
  );
}

/**
 * Converts the option `reasoning` to the effort of a Nova model. Its highest effort excludes a limit and settings for
 * sampling.
 */
function toEffort(
  { effort, budgetTokens }: ReasoningConfig,
  maxTokens: number | undefined,
  context: RequestContext,
): Thinking {
  const asked = budgetTokens === undefined ? (effort ?? "medium") : effortFor(budgetTokens);
  const tried = nearestReasoningEffort(asked, ["low", "medium", "high"]) ?? "medium";
  const fields = { reasoningConfig: { type: "enabled", maxReasoningEffort: tried } };
  if (tried !== "high") return { fields, thinks: true, ...(maxTokens !== undefined && { maxTokens }) };
  if (maxTokens !== undefined)
    context.reportOmitted("maxTokens", "the model takes it only with an effort of at most medium");
  return { fields, thinks: true, isFree: true };
}

function reportDegree({ effort, budgetTokens }: ReasoningConfig, { reportOmitted }: RequestContext): void {
  if (effort !== undefined) reportOmitted("reasoning.effort", "the model always thinks, and takes no degree");
  if (budgetTokens !== undefined)
    reportOmitted("reasoning.budgetTokens", "the model always thinks, and takes no limit");
}
