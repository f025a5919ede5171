import type { ReasoningEffort } from "@troupe/core";
import { nearestEffort } from "@troupe/core/provider";
import type { ModelCall } from "./model-call.ts";

/** Returns the effort of a request for reasoning, as the nearest that the model takes. Undefined when none is asked for. */
export function toEffort({ options: { reasoning }, rules, reportOmitted }: ModelCall): ReasoningEffort | undefined {
  if (reasoning?.effort === undefined) {
    if (reasoning?.budgetTokens !== undefined)
      reportOmitted("reasoning.budgetTokens", "the vendor takes an effort instead");
    return undefined;
  }
  const effort = nearestEffort(reasoning.effort, rules.efforts);
  if (reasoning.effort === "none" && effort !== "none")
    reportOmitted("reasoning.effort none", "the model always reasons; it is asked for its least effort");
  return effort;
}

/**
 * Reports that a model reasons although it is told not to. One that takes `temperature` can answer without, or belongs to a
 * server of which nothing is known.
 */
export function reportReasoning({ options: { reasoning }, rules, reportOmitted }: ModelCall): void {
  const always = rules.reasoning && !rules.sampling && !rules.efforts.includes("none");
  if (reasoning?.enabled === false && always) reportOmitted("reasoning.enabled false", "the model always reasons");
}
