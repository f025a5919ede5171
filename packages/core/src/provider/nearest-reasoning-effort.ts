import type { ReasoningEffort } from "../model/model-config.ts";

const efforts: readonly ReasoningEffort[] = ["none", "minimal", "low", "medium", "high", "xhigh"];

/**
 * Returns the model's reasoning effort nearest to the wanted effort; of two equally near efforts, the higher effort.
 * Only `none` becomes `none`. Undefined for a model that has no efforts.
 */
export function nearestReasoningEffort<Effort extends ReasoningEffort>(
  wanted: ReasoningEffort,
  taken: readonly Effort[],
): Effort | undefined {
  const distance = (effort: Effort): number => Math.abs(efforts.indexOf(effort) - efforts.indexOf(wanted));
  const able = taken.filter((effort) => effort !== "none" || wanted === "none");
  return able.toSorted(
    (one, other) => distance(one) - distance(other) || efforts.indexOf(other) - efforts.indexOf(one),
  )[0];
}
