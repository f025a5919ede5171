import type { AttemptRunOpts, RunOpts } from "../run-options.ts";

/** Returns options that only transports and `RunService` give, for a call that states the options of a user. */
export function attemptOpts<Own extends object>(opts: AttemptRunOpts & Own): RunOpts & Own {
  return opts;
}
