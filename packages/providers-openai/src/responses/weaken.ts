import type { Refusal } from "../model-call.ts";
import type { ModelRules } from "../model-rules.ts";

/**
 * Returns rules without the summary of reasoning, which only verified organisations may request, when the vendor
 * refused it. `undefined` when the refusal has another cause.
 */
export function weakenResponsesRules({ param }: Refusal, request: object): Partial<ModelRules> | undefined {
  const { reasoning } = request as { reasoning?: { summary?: string } };
  return param === "reasoning.summary" && reasoning?.summary !== undefined ? { reasoningSummary: false } : undefined;
}
