import { abortedError } from "../../base/errors/aborted-error.ts";
import { integer, milliseconds, oneOf, optional } from "../../base/errors/option-checks.ts";
import { readOptions, wrongOption } from "../../base/errors/read-options.ts";
import type { OptionCheck, OptionTable, OptionContext } from "../../base/errors/read-options.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import type { RunAttempt } from "./queue-record.ts";

/** Policy for runs on a busy session: to wait for the run that holds it or to be refused, and the limits of waiting. */
export type BusyPolicy = {
  /** `reject` refuses a run at once when the session is busy. @default "enqueue" */
  onBusy: "enqueue" | "reject";
  /** Number of runs that may wait; one more is refused. @default 10 */
  maxWaiting: number;
  /** Milliseconds that a run waits before it is refused. @default 60000 */
  waitMs: number;
};

/**
 * Options of a run that joins the queue of a session: the policy, a signal that ends its waiting, and the attempt at a durable
 * run, which takes the place over that an earlier attempt of another process still has.
 */
export type JoinOptions = BusyPolicy & { signal?: AbortSignal | undefined; run?: RunAttempt | undefined };

const policyOptions = {
  onBusy: optional(oneOf("enqueue", "reject"), "enqueue"),
  maxWaiting: optional(integer(0), 10),
  waitMs: optional(milliseconds, 60_000),
} satisfies OptionTable<BusyPolicy>;

/** Returns a policy with its defaults; throws `invalid_config` for an unknown or wrong option. */
export function checkBusyPolicy(policy: Partial<BusyPolicy>, where: OptionContext): BusyPolicy {
  return readOptions(policyOptions, policy, where);
}

/** Check of the option `onBusy` of agents and teams: `enqueue`, `reject` or a `BusyPolicy`. */
export const onBusyOption: OptionCheck<"enqueue" | "reject" | BusyPolicy> = (value, name, where) => {
  if (typeof value === "object" && value !== null) return checkBusyPolicy(value, { path: name });
  if (value === "enqueue" || value === "reject") return value;
  throw wrongOption({ ...where, name }, '"enqueue", "reject" or a policy', value);
};

/**
 * Returns the error that refuses a run at a queue of this length (lease holder included), or `null` when it may join.
 */
export function busyRefusal(length: number, { onBusy, maxWaiting, signal }: JoinOptions): TroupeError | null {
  if (signal?.aborted) return abortedError(signal.reason);
  if (length === 0) return null;
  if (onBusy === "reject") return new TroupeError("conflict", "The session is busy with another run.");
  if (length <= maxWaiting) return null;
  return new TroupeError(
    "conflict",
    `The session is busy and ${maxWaiting} runs wait for it already. Try again later.`,
  );
}

/** Makes the `conflict` error of a run that waited `waitMs` milliseconds for a busy session without getting it. */
export function busyTooLong(waitMs: number): TroupeError {
  return new TroupeError(
    "conflict",
    `The session stayed busy for ${waitMs} ms. A run that starts another on its own session waits for itself: give the ` +
      "inner one a session of its own.",
  );
}
