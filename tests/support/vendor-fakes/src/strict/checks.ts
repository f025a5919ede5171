import type { Refusal } from "../dialect.ts";

/** A series of checks of a request, each with its refusal. */
export type Checks = Generator<Refusal | undefined>;

/** Pattern of tool names at OpenAI and Anthropic. */
export const toolName = /^[a-zA-Z0-9_-]{1,64}$/;

/** Returns the first refusal. */
export function firstRefusal(checks: Iterable<Refusal | undefined>): Refusal | undefined {
  for (const refusal of checks) if (refusal !== undefined) return refusal;
  return undefined;
}

/** Returns a refusal when the condition holds. */
export function refuseIf(condition: boolean, message: string, param?: string): Refusal | undefined {
  if (!condition) return undefined;
  return param === undefined ? { message } : { message, param };
}

/** Refuses fields that the vendor does not know. */
export function refuseUnknown(value: object, known: readonly string[], at = ""): Refusal | undefined {
  const unknown = Object.keys(value).find((key) => !known.includes(key));
  return refuseIf(unknown !== undefined, `Unknown parameter: '${at}${unknown}'.`, `${at}${unknown}`);
}

/** Returns the values that occur more than once. */
export function repeatedIn(values: readonly unknown[]): unknown[] {
  return values.filter((value, index) => values.indexOf(value) !== index);
}
