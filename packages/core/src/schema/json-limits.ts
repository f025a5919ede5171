/** How deep JSON may nest: what walks deeper by recursion can be made to crash. */
export const maxJsonDepth = 64;

/** How many values one JSON value may hold. Shared parts count each time they are met. */
const maxJsonNodes = 1_000_000;

/** Says what is too much about a value: too deep (a cycle is endlessly deep) or too many parts. */
export function findExcess(value: unknown): string | undefined {
  const budget = { nodes: maxJsonNodes };
  if (!fits(value, maxJsonDepth, budget)) {
    return budget.nodes < 0 ? `holds more than ${maxJsonNodes} values` : `nests deeper than ${maxJsonDepth} levels`;
  }
  return undefined;
}

function fits(value: unknown, depth: number, budget: { nodes: number }): boolean {
  budget.nodes -= 1;
  if (budget.nodes < 0) return false;
  if (typeof value !== "object" || value === null) return true;
  if (depth === 0) return false;
  const parts: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  return parts.every((part) => fits(part, depth - 1, budget));
}

/** Whether a value nests deeper than so many levels, or holds more parts than any value of ours may. */
export function nestsDeeper(value: unknown, depth: number): boolean {
  return !fits(value, depth, { nodes: maxJsonNodes });
}
