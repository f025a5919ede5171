import { TroupeError } from "./troupe-error.ts";

/** The longest wait that a timer can keep; a longer one would end at once. */
const longestTimerMs = 2 ** 31 - 1;

/** Takes a number of milliseconds that a timer can wait; anything else is refused with the option's name. */
export function checkDuration(value: unknown, option: string): number {
  if (typeof value === "number" && value >= 0 && value <= longestTimerMs) return value;
  throw wrongOption(option, `a number of milliseconds from 0 to ${longestTimerMs}`, value);
}

/** Takes a whole number from `least` upwards; anything else is refused with the option's name. */
export function checkCount(value: unknown, option: string, least = 0): number {
  if (Number.isSafeInteger(value) && (value as number) >= least) return value as number;
  throw wrongOption(option, `a whole number from ${least} upwards`, value);
}

/** The refusal of an option: which one, what it takes, and what kind of value it was. */
export function wrongOption(option: string, expected: string, value: unknown): TroupeError {
  return new TroupeError("invalid_config", `${option} must be ${expected}, but it is ${describe(value)}.`);
}

/** Numbers and booleans as they are; of anything that might hold a secret only what it is. */
function describe(value: unknown): string {
  if (value === null || ["number", "boolean", "undefined"].includes(typeof value)) return String(value);
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
