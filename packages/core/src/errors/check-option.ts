import { integer, milliseconds } from "./option-checks.ts";

const none = {};
const count = integer(0);
const positive = integer(1);

/** Returns a number of milliseconds that a timer can wait. */
export function checkDuration(value: unknown, option: string): number {
  return milliseconds(value, option, none);
}

/** Returns an integer of `least` or more. */
export function checkCount(value: unknown, option: string, least: 0 | 1 = 0): number {
  return (least === 0 ? count : positive)(value, option, none);
}
