import { noUsage, optionalCounters } from "../base/message/token-usage.ts";
import type { TokenUsage } from "../base/message/token-usage.ts";
import { describeJsonProblem } from "../schema/json-limits.ts";
import type { JsonSize } from "../schema/json-limits.ts";
import { isRecord } from "../base/util/is-record.ts";

/** The depth to which a vendor's usage object may nest: those of all vendors have four levels at most. */
const maxMetricsDepth = 16;

/** The size of a vendor's usage object. It is part of each output, event and stored turn. */
const maxMetricsSize: JsonSize = { nodes: 2048, characters: 16_384 };

/**
 * Returns a usage that can be added up and stored, from one that a vendor or other code reports: a counter that is not an
 * integer of 0 or more becomes 0, a missing total the sum of both, and no usage `noUsage`. The vendor's own metrics stay as
 * they are, or are left out whole where they cannot be stored.
 */
export function normalizeUsage(usage: TokenUsage | undefined): TokenUsage {
  if (!isRecord(usage)) return noUsage;
  const { promptTokens, completionTokens, totalTokens, providerMetrics } = usage;
  const [prompt, completion] = [soundCount(promptTokens), soundCount(completionTokens)];
  const sum = Math.min(prompt + completion, Number.MAX_SAFE_INTEGER);
  const sound: TokenUsage = {
    promptTokens: prompt,
    completionTokens: completion,
    totalTokens: soundCount(totalTokens, sum),
  };
  for (const counter of optionalCounters) {
    if (usage[counter] !== undefined) sound[counter] = soundCount(usage[counter]);
  }
  if (isRecord(providerMetrics) && metricsProblem(providerMetrics) === undefined) {
    sound.providerMetrics = providerMetrics;
  }
  return sound;
}

/**
 * Describes why `normalizeUsage` does not take a reported usage as it is, as the predicate of a sentence about it. Quotes
 * nothing of it. Returns `undefined` for a usage that is sound, or that was not reported.
 */
export function describeUsageProblem(usage: unknown): string | undefined {
  if (usage === undefined || usage === null) return undefined;
  if (!isRecord(usage)) return "is not an object. No tokens are counted";
  const { providerMetrics } = usage;
  const problem = metricsProblem(providerMetrics);
  if (problem !== undefined) return `${problem}. It is left out of providerMetrics`;
  const counts = ["promptTokens", "completionTokens", "totalTokens", ...optionalCounters].map((name) => usage[name]);
  // A provider leaves such a count out, but not from the vendor's own object.
  const isSound =
    counts.every((count) => count === undefined || isCount(count)) && hasPlausibleNumbers(providerMetrics);
  return isSound ? undefined : "has a number that can be no count of tokens. It is not counted";
}

function metricsProblem(metrics: unknown): string | undefined {
  if (metrics === undefined) return undefined;
  return isRecord(metrics) ? describeJsonProblem(metrics, maxMetricsDepth, maxMetricsSize) : "is not an object";
}

/** Tells if no number is below zero or too large to be counted. The depth is known to be limited. */
function hasPlausibleNumbers(value: unknown): boolean {
  if (typeof value === "number") return value >= 0 && value <= Number.MAX_SAFE_INTEGER;
  return typeof value !== "object" || value === null || Object.values(value).every(hasPlausibleNumbers);
}

function soundCount(count: unknown, otherwise = 0): number {
  return isCount(count) ? count : otherwise;
}

function isCount(count: unknown): count is number {
  return Number.isSafeInteger(count) && (count as number) >= 0;
}
