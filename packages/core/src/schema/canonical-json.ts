/** Who pays for reading a value: `spend` may throw when it is too much. */
export type Spender = { spend(steps: number): void };

/** Reading that much text costs about as much as any other step. */
export const charactersPerStep = 64;

/** Writes a JSON value so that equal values have equal texts: keys sorted, `-0` as `0`. */
export function canonicalJson(value: unknown, spender?: Spender): string {
  spender?.spend(typeof value === "string" ? 1 + value.length / charactersPerStep : 1);
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item, spender)).join(",")}]`;
  if (typeof value !== "object" || value === null) return scalarText(value);
  const parts = Object.entries(value)
    .filter(([, part]) => part !== undefined)
    .toSorted(([left], [right]) => (left < right ? -1 : 1))
    .map(([key, part]) => `${JSON.stringify(key)}:${canonicalJson(part, spender)}`);
  return `{${parts.join(",")}}`;
}

// What JSON cannot write (NaN, a bigint) gets a text that no JSON value has.
function scalarText(value: unknown): string {
  if (typeof value === "number") return String(value);
  return typeof value === "bigint" ? `${value}n` : (JSON.stringify(value) ?? typeof value);
}
