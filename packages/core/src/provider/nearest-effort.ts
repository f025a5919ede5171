import type { ReasoningEffort } from "../model/model-config.ts";

const efforts: readonly ReasoningEffort[] = ["none", "minimal", "low", "medium", "high", "xhigh"];

/**
 * Returns the one of a model's efforts that is nearest to the wanted one, the higher of two that are as near. Only `none`
 * itself becomes `none`. Undefined for a model without efforts.
 */
export function nearestEffort<Effort extends ReasoningEffort>(
  wanted: ReasoningEffort,
  taken: readonly Effort[],
): Effort | undefined {
  const distance = (effort: Effort): number => Math.abs(efforts.indexOf(effort) - efforts.indexOf(wanted));
  const able = taken.filter((effort) => effort !== "none" || wanted === "none");
  return able.toSorted(
    (one, other) => distance(one) - distance(other) || efforts.indexOf(other) - efforts.indexOf(one),
  )[0];
}
