import { TroupeError } from "@troupe/core";

/** What walks deeper by recursion could be made to crash. */
const deepest = 64;

/** Refuses a body that nests too deep. */
export function checkNesting(body: unknown): void {
  if (fits(body, deepest)) return;
  throw new TroupeError("invalid_request", `The body must not nest deeper than ${deepest} levels.`);
}

function fits(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return true;
  if (levels === 0) return false;
  const parts: unknown[] = Array.isArray(value) ? value : Object.values(value);
  return parts.every((part) => fits(part, levels - 1));
}
