/** A limit on the work of validating one value against a schema. `spend` counts work and may throw at the limit. */
export type StepBudget = { spend(steps: number): void };

/** The number of string characters that cost one step of a `StepBudget`. */
export const charactersPerStep = 64;

/**
 * Writes a JSON value so that equal values become equal strings, for comparing and hashing: keys are sorted, and `-0`
 * is written as `0`.
 */
export function canonicalJson(value: unknown, budget?: StepBudget): string {
  budget?.spend(typeof value === "string" ? 1 + value.length / charactersPerStep : 1);
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item, budget)).join(",")}]`;
  if (typeof value !== "object" || value === null) return scalarJson(value);
  const parts = Object.entries(value)
    .filter(([, part]) => part !== undefined)
    .toSorted(([left], [right]) => (left < right ? -1 : 1))
    .map(([key, part]) => `${JSON.stringify(key)}:${canonicalJson(part, budget)}`);
  return `{${parts.join(",")}}`;
}

// A value that is not JSON (NaN, a bigint) becomes a string that no JSON value produces.
function scalarJson(value: unknown): string {
  if (typeof value === "number") return String(value);
  return typeof value === "bigint" ? `${value}n` : (JSON.stringify(value) ?? typeof value);
}
