import type { Refusal } from "../model-call.ts";
import type { ModelRules } from "../model-rules.ts";

/**
 * Returns rules without the reasoning summary if the vendor refused the summary, which only verified organisations may
 * request. Returns `undefined` if the refusal has another cause.
 */
export function weakenResponsesRules({ param }: Refusal, request: object): Partial<ModelRules> | undefined {
  const { reasoning } = request as { reasoning?: { summary?: string } };
  return param === "reasoning.summary" && reasoning?.summary !== undefined ? { reasoningSummary: false } : undefined;
}
