import { noUsage, optionalCounters } from "../base/message/token-usage.ts";
import type { TokenUsage } from "../base/message/token-usage.ts";
import { describeJsonProblem } from "../schema/json-limits.ts";
import type { JsonSize } from "../schema/json-limits.ts";
import { isRecord } from "../base/util/is-record.ts";

/** The maximum nesting depth of a vendor's usage object. The objects of all vendors have at most four levels. */
const maxMetricsDepth = 16;

/** The counters of a usage. */
const counters = ["promptTokens", "completionTokens", "totalTokens", ...optionalCounters] as const;

/** The maximum size of a vendor's usage object, which is part of each output, event and stored turn. */
const maxMetricsSize: JsonSize = { nodes: 2048, characters: 16_384 };

/**
 * Returns a usage that can be added up and stored, made from a reported usage. A counter that is not an integer of at
 * least 0 becomes 0, and a missing or invalid total becomes the sum. A missing usage becomes `noUsage`. The vendor's
 * own metrics stay unchanged, or are omitted entirely if they cannot be stored.
 */
export function normalizeUsage(usage: TokenUsage | undefined): TokenUsage {
  if (!isRecord(usage)) return noUsage;
  const { promptTokens, completionTokens, totalTokens, providerMetrics } = usage;
  const prompt = soundCount(promptTokens);
  const completion = soundCount(completionTokens);
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
 * Returns the reason why `normalizeUsage` changes a reported usage, as words that follow "The usage" in a warning, such
 * as "is not an object". Quotes no part of the usage. Returns `undefined` if the usage is valid or was not reported.
 *
 * @param normal the result of `normalizeUsage`, if there is one: metrics that it kept are not checked again
 */
export function describeUsageProblem(usage: unknown, normal?: TokenUsage): string | undefined {
  if (usage === undefined || usage === null) return undefined;
  if (!isRecord(usage)) return "is not an object. No tokens are counted";
  const { providerMetrics } = usage;
  const problem = providerMetrics === normal?.providerMetrics ? undefined : metricsProblem(providerMetrics);
  if (problem !== undefined) return `${problem}. It is left out of providerMetrics`;
  // A provider omits an invalid count, but the vendor's own object may still contain it.
  const isSound =
    counters.every((name) => usage[name] === undefined || isCount(usage[name])) && hasPlausibleNumbers(providerMetrics);
  return isSound ? undefined : "has a number that can be no count of tokens. It is not counted";
}

function metricsProblem(metrics: unknown): string | undefined {
  if (metrics === undefined) return undefined;
  return isRecord(metrics) ? describeJsonProblem(metrics, maxMetricsDepth, maxMetricsSize) : "is not an object";
}

/**
 * Returns true if no number in a vendor's usage object is below zero or too large to be counted. The nesting depth was
 * checked before.
 */
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
