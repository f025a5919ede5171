import { optionalCounters } from "../base/message/token-usage.ts";
import type { TokenUsage } from "../base/message/token-usage.ts";
import type { Source } from "../base/message/source.ts";
import { createId } from "../base/util/create-id.ts";
import { isRecord } from "../base/util/is-record.ts";

/**
 * Returns a field of a vendor's JSON if it is a string, otherwise an empty string: a vendor may omit the field or send
 * `null`.
 */
export function readText(value: unknown): string {
  return typeof value === "string" ? value : "";
}

const noFields: Readonly<Record<string, unknown>> = Object.freeze({});

/** Returns a field of a vendor's JSON if it is an object, otherwise an empty object. */
export function readObject(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : noFields;
}

/**
 * Returns the objects in an array of a vendor's JSON, without other entries. Returns an empty array if the value is not
 * an array.
 */
export function readObjects(value: unknown): Record<string, unknown>[] {
  if (!Array.isArray(value)) return [];
  // This function is called for each event of a stream, so it does not copy the usual array, which contains only
  // objects.
  return value.every(isRecord) ? value : value.filter(isRecord);
}

/** Returns the sum of the counts in a vendor's JSON; `undefined` if none is an integer of at least 0. */
export function sumCounts(...values: readonly unknown[]): number | undefined {
  const counts = values.filter(isCount);
  return counts.length === 0
    ? undefined
    : Math.min(
        counts.reduce((sum, count) => sum + count, 0),
        Number.MAX_SAFE_INTEGER,
      );
}

/**
 * Returns a source in a vendor's JSON, as an array with one element; empty if the source has neither an address nor an
 * id. A source without an id gets a new id.
 */
export function readSource(source: { readonly [Name in keyof Source]?: unknown }): Source[] {
  const [id, url] = [readText(source.id), readText(source.url)];
  if (id === "" && url === "") return [];
  const [title, toolCallId] = [readText(source.title), readText(source.toolCallId)];
  return [
    {
      id: id || createId(),
      ...(url !== "" && { url }),
      ...(title !== "" && { title }),
      ...(toolCallId !== "" && { toolCallId }),
    },
  ];
}

/**
 * The token counts of one answer under Troupe's names, with the values that a vendor has sent: any count may be missing
 * or not a number.
 */
export type VendorCounts = { readonly [Name in Exclude<keyof TokenUsage, "providerMetrics">]?: unknown };

/**
 * Converts a vendor's usage object to `TokenUsage`, which keeps the object as `providerMetrics`. `toCounts` selects its
 * counts. A count that is not an integer of at least 0 is absent. Missing `promptTokens` and `completionTokens` are 0,
 * and a missing `totalTokens` is their sum. Returns `undefined` if `usage` is not an object.
 */
export function readUsage(
  usage: unknown,
  toCounts: (usage: Readonly<Record<string, unknown>>) => VendorCounts,
): TokenUsage | undefined {
  if (!isRecord(usage)) return undefined;
  const counts = toCounts(usage);
  const promptTokens = countOr(counts.promptTokens, 0);
  const completionTokens = countOr(counts.completionTokens, 0);
  const totalTokens = countOr(counts.totalTokens, promptTokens + completionTokens);
  const read: TokenUsage = { promptTokens, completionTokens, totalTokens };
  for (const name of optionalCounters) {
    const count = counts[name];
    if (isCount(count)) read[name] = count;
  }
  read.providerMetrics = usage;
  return read;
}

function countOr(value: unknown, otherwise: number): number {
  return isCount(value) ? value : otherwise;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
