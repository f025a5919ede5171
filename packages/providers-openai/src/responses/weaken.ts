import type { Refusal } from "../call.ts";
import type { ModelRules } from "../model-rules.ts";

/** Drops the summary of reasoning, which only verified organisations may request. */
export function weakenResponsesRules({ param }: Refusal, request: object): Partial<ModelRules> | undefined {
  const { reasoning } = request as { reasoning?: { summary?: string } };
  return param === "reasoning.summary" && reasoning?.summary !== undefined ? { reasoningSummary: false } : undefined;
}
