import type { Refusal } from "../call.ts";
import type { ModelRules } from "../model-rules.ts";

/** Summaries of reasoning are for organisations that the vendor has verified; others are asked again without one. */
export function weaken({ param }: Refusal, request: object): Partial<ModelRules> | undefined {
  const { reasoning } = request as { reasoning?: { summary?: string } };
  return param === "reasoning.summary" && reasoning?.summary !== undefined ? { reasoningSummary: false } : undefined;
}
