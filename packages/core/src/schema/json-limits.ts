/** The number of levels that JSON may nest: deeper values could overflow the stack of a recursive walk. */
export const maxJsonDepth = 64;

/** The number of values in one JSON value. A shared part counts each time it is reached. */
const maxJsonNodes = 1_000_000;

/**
 * Describes how a value exceeds the limits: it nests too deep (as a cycle does) or holds too many values. Returns
 * `undefined` when it is within them.
 */
export function describeExcess(value: unknown): string | undefined {
  const budget = { nodes: maxJsonNodes };
  if (fits(value, maxJsonDepth, budget)) return undefined;
  return budget.nodes < 0 ? `holds more than ${maxJsonNodes} values` : `nests deeper than ${maxJsonDepth} levels`;
}

/** True when a value nests deeper than `depth` levels, or holds more than 1,000,000 values. */
export function exceedsLimits(value: unknown, depth: number): boolean {
  return !fits(value, depth, { nodes: maxJsonNodes });
}

function fits(value: unknown, depth: number, budget: { nodes: number }): boolean {
  budget.nodes -= 1;
  if (budget.nodes < 0) return false;
  if (typeof value !== "object" || value === null) return true;
  if (depth === 0) return false;
  const parts: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  return parts.every((part) => fits(part, depth - 1, budget));
}
