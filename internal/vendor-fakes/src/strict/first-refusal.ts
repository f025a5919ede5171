import type { Refusal } from "../dialect.ts";

/** One check after the other, each with its verdict. */
export type Checks = Generator<Refusal | undefined>;

/** The first reason to refuse, of checks that are made one after the other. */
export function firstRefusal(checks: Iterable<Refusal | undefined>): Refusal | undefined {
  for (const refusal of checks) if (refusal !== undefined) return refusal;
  return undefined;
}

/** A refusal when something holds. */
export function refuseIf(holds: boolean, message: string, param?: string): Refusal | undefined {
  if (!holds) return undefined;
  return param === undefined ? { message } : { message, param };
}

/** Refuses fields that the vendor does not know. */
export function refuseUnknown(value: object, known: readonly string[], at = ""): Refusal | undefined {
  const unknown = Object.keys(value).find((key) => !known.includes(key));
  return refuseIf(unknown !== undefined, `Unknown parameter: '${at}${unknown}'.`, `${at}${unknown}`);
}

/** The values that are there more than once. */
export function repeatedIn(values: readonly unknown[]): unknown[] {
  return values.filter((value, index) => values.indexOf(value) !== index);
}
