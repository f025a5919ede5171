import type { Refusal } from "../model-call.ts";
import type { ModelRules } from "../model-rules.ts";

/**
 * Returns rules without the reasoning summary if the vendor refused it, because only verified organisations may request
 * it. `undefined` if the refusal has another cause.
 */
export function weakenResponsesRules({ param }: Refusal, request: object): Partial<ModelRules> | undefined {
  const { reasoning } = request as { reasoning?: { summary?: string } };
  return param === "reasoning.summary" && reasoning?.summary !== undefined ? { reasoningSummary: false } : undefined;
}
