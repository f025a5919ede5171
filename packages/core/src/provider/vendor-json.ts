import type { TokenUsage } from "../base/message/token-usage.ts";
import type { Source } from "../base/message/source.ts";
import { createId } from "../base/util/create-id.ts";
import { isRecord } from "../base/util/is-record.ts";

/** Returns a field of a vendor's JSON if it is a string, else an empty string: a vendor may leave it out, or send `null`. */
export function readText(value: unknown): string {
  return typeof value === "string" ? value : "";
}

const noFields: Readonly<Record<string, unknown>> = Object.freeze({});

/** Returns a field of a vendor's JSON if it is an object, else an empty object. */
export function readObject(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : noFields;
}

/** Returns the objects in an array of a vendor's JSON, without other entries. Empty when it is no array. */
export function readObjects(value: unknown): Record<string, unknown>[] {
  if (!Array.isArray(value)) return [];
  // As a rule all are objects, in each event of a stream.
  return value.every(isRecord) ? value : value.filter(isRecord);
}

/** Returns the sum of the counts in a vendor's JSON, or `undefined` when none is an integer of 0 or more. */
export function readCount(...values: readonly unknown[]): number | undefined {
  const counts = values.filter(isCount);
  return counts.length === 0
    ? undefined
    : Math.min(
        counts.reduce((sum, count) => sum + count, 0),
        Number.MAX_SAFE_INTEGER,
      );
}

/**
 * Returns a source in a vendor's JSON, or nothing for one that has neither an address nor an id. A source
 * without an id gets one.
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

/** The token counts of one answer, under our names, as a vendor sent them: any may be missing or no number. */
export type VendorCounts = { readonly [Name in Exclude<keyof TokenUsage, "providerMetrics">]?: unknown };

/**
 * Converts a vendor's usage object to `TokenUsage`, which keeps it as `providerMetrics`. `toCounts` names its counts. One
 * that is not an integer of 0 or more is absent, or 0 where `TokenUsage` needs one. `undefined` when `usage` is no object.
 */
export function readUsage(
  usage: unknown,
  toCounts: (usage: Readonly<Record<string, unknown>>) => VendorCounts,
): TokenUsage | undefined {
  if (!isRecord(usage)) return undefined;
  const { promptTokens, completionTokens, totalTokens, ...parts } = toCounts(usage);
  const [prompt, completion] = [readCount(promptTokens) ?? 0, readCount(completionTokens) ?? 0];
  const read: TokenUsage = {
    promptTokens: prompt,
    completionTokens: completion,
    totalTokens: readCount(totalTokens) ?? prompt + completion,
  };
  for (const name of Object.keys(parts) as (keyof typeof parts)[]) {
    const count = parts[name];
    if (isCount(count)) read[name] = count;
  }
  read.providerMetrics = usage;
  return read;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
