import type { ReasoningEffort } from "@troupe/core";
import { nearestReasoningEffort } from "@troupe/core/provider";
import type { ModelCall } from "./model-call.ts";

/**
 * Returns the requested reasoning effort, as the nearest effort that the model accepts. Undefined if no effort is
 * requested.
 */
export function toEffort({ options: { reasoning }, rules, reportOmitted }: ModelCall): ReasoningEffort | undefined {
  if (reasoning?.effort === undefined) {
    if (reasoning?.budgetTokens !== undefined)
      reportOmitted("reasoning.budgetTokens", "the vendor takes an effort instead");
    return undefined;
  }
  const effort = nearestReasoningEffort(reasoning.effort, rules.efforts);
  if (reasoning.effort === "none" && effort !== "none")
    reportOmitted("reasoning.effort none", "the model always reasons; it is asked for its least effort");
  return effort;
}

/**
 * Logs that a model reasons although reasoning is disabled. A model that accepts `temperature` is not logged, because
 * it can answer without reasoning or its server is unknown.
 */
export function reportReasoning({ options: { reasoning }, rules, reportOmitted }: ModelCall): void {
  const always = rules.reasoning && !rules.sampling && !rules.efforts.includes("none");
  if (reasoning?.enabled === false && always) reportOmitted("reasoning.enabled false", "the model always reasons");
}
