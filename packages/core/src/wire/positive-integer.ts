import { TroupeError } from "../errors/troupe-error.ts";

/** What timers take, and more bytes than any one event may hold. */
const largest = 2_147_483_647;

/** Gives back an option's value when it is a whole number that timers and sizes can take, and refuses any other. */
export function positiveInteger(option: string, value: number): number {
  if (Number.isInteger(value) && value >= 1 && value <= largest) return value;
  throw new TroupeError("invalid_config", `${option} must be a whole number from 1 to ${largest}, but is ${value}.`, {
    fields: { option },
  });
}
