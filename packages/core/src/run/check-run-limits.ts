import { TroupeError } from "../errors/troupe-error.ts";
import type { ErrorCode } from "../errors/troupe-error.ts";
import type { RunLimits } from "./run-options.ts";

/** How long a run may take when nothing else is said: ten minutes. */
export const defaultDurationMs = 600_000;

/** The longest that a timer can wait. */
const longestMs = 2 ** 31 - 1;

const checks: { readonly [Name in keyof Required<RunLimits>]: { most: number; unit: string } } = {
  durationMs: { most: longestMs, unit: "milliseconds" },
  totalTokens: { most: Number.MAX_SAFE_INTEGER, unit: "tokens" },
};

/** Takes limits whose every value is a number above zero; anything else is refused with the name of the limit. */
export function checkRunLimits(value: unknown, code: ErrorCode = "invalid_config"): RunLimits {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new TroupeError(code, "limits must be an object.");
  }
  for (const [name, limit] of Object.entries(value) as [string, unknown][]) {
    if (!Object.hasOwn(checks, name)) {
      throw new TroupeError(code, `There is no limit of that name: limits are ${Object.keys(checks).join(" and ")}.`);
    }
    if (limit !== undefined) checkLimit(limit, name as keyof RunLimits, code);
  }
  return value;
}

function checkLimit(limit: unknown, name: keyof RunLimits, code: ErrorCode): void {
  const { most, unit } = checks[name];
  if (typeof limit === "number" && limit > 0 && limit <= most) return;
  throw new TroupeError(code, `limits.${name} must be a number of ${unit} above 0 and up to ${most}.`);
}
