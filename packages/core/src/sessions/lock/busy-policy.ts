import { abortedError } from "../../base/errors/aborted-error.ts";
import { integerOption, millisecondsOption, oneOf, optional } from "../../base/errors/option-checks.ts";
import { readOptions, wrongOption } from "../../base/errors/read-options.ts";
import type { OptionCheck, OptionTable, OptionContext } from "../../base/errors/read-options.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import type { RunAttempt } from "./queue-record.ts";

/** Policy for runs whose session is busy: they wait for the lease or are rejected, within limits. */
export type BusyPolicy = {
  /** `reject` rejects a run immediately if the session is busy. @default "enqueue" */
  onBusy: "enqueue" | "reject";
  /** Maximum number of runs that wait for one session; further runs are rejected. @default 10 */
  maxWaiting: number;
  /** Milliseconds that a run waits for its busy session before it is rejected. @default 60000 */
  waitMs: number;
};

/**
 * Options of a run that joins the queue of a session: the policy, a signal that ends its waiting, and a durable run's
 * attempt. A later attempt takes over the queue position of an earlier attempt at the same run.
 */
export type JoinOptions = BusyPolicy & {
  signal?: AbortSignal | undefined;
  run?: RunAttempt | undefined;
  /** True if the session's id was just created: its queue is then assumed to be empty and is not read. */
  isNew?: boolean;
};

const policyOptions = {
  onBusy: optional(oneOf("enqueue", "reject"), "enqueue"),
  maxWaiting: optional(integerOption(0), 10),
  waitMs: optional(millisecondsOption, 60_000),
} satisfies OptionTable<BusyPolicy>;

/** Returns a busy policy with its defaults. Throws `invalid_config` for an unknown or wrong option. */
export function checkBusyPolicy(policy: Partial<BusyPolicy>, where: OptionContext): BusyPolicy {
  return readOptions(policyOptions, policy, where);
}

/** Option check for `onBusy` of agents and teams: `enqueue`, `reject` or a `BusyPolicy`. */
export const onBusyOption: OptionCheck<"enqueue" | "reject" | BusyPolicy> = (value, name, where) => {
  if (typeof value === "object" && value !== null) return checkBusyPolicy(value, { path: name });
  if (value === "enqueue" || value === "reject") return value;
  throw wrongOption({ ...where, name }, '"enqueue", "reject" or a policy', value);
};

/**
 * Returns the error for a run that a queue of this length (lease holder included) rejects, or whose signal has aborted.
 * Returns `null` if the run may join.
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

/** Makes the `conflict` error of a run that waited `waitMs` milliseconds for a busy session in vain. */
export function busyTooLong(waitMs: number): TroupeError {
  return new TroupeError(
    "conflict",
    `The session stayed busy for ${waitMs} ms. A run that starts another on its own session waits for itself: give the ` +
      "inner one a session of its own.",
  );
}
