import { abortedError } from "../errors/aborted-error.ts";
import { integer, milliseconds, oneOf, optional } from "../errors/option-checks.ts";
import { readOptions, wrongOption } from "../errors/read-options.ts";
import type { OptionCheck, OptionTable, Where } from "../errors/read-options.ts";
import { TroupeError } from "../errors/troupe-error.ts";

/** Limits of the queue for a busy session. */
export type BusyPolicy = {
  /** `reject` refuses a run at once when the session is busy. @default "enqueue" */
  onBusy: "enqueue" | "reject";
  /** Number of runs that may wait; one more is refused. @default 10 */
  maxWaiting: number;
  /** Milliseconds that a run waits before it is refused. @default 60000 */
  waitMs: number;
};

/** Options of a run that joins a queue. */
export type JoinOptions = BusyPolicy & { signal?: AbortSignal | undefined };

const policyOptions = {
  onBusy: optional(oneOf("enqueue", "reject"), "enqueue"),
  maxWaiting: optional(integer(0), 10),
  waitMs: optional(milliseconds, 60_000),
} satisfies OptionTable<BusyPolicy>;

/** Fills in the defaults; anything that is not a policy is `invalid_config`. */
export function checkBusyPolicy(policy: Partial<BusyPolicy>, where: Where): BusyPolicy {
  return readOptions(policyOptions, policy, where);
}

/** Check of the option `onBusy`: `enqueue`, `reject` or a policy. */
export const onBusyOption: OptionCheck<"enqueue" | "reject" | BusyPolicy> = (value, name, where) => {
  if (typeof value === "object" && value !== null) return checkBusyPolicy(value, { path: name });
  if (value === "enqueue" || value === "reject") return value;
  throw wrongOption({ ...where, name }, '"enqueue", "reject" or a policy', value);
};

/** Returns why a run may not join a queue of this length (its lease holder included), or `null` when it may. */
export function refusalOf(length: number, { onBusy, maxWaiting, signal }: JoinOptions): TroupeError | null {
  if (signal?.aborted) return abortedError(signal.reason);
  if (length === 0) return null;
  if (onBusy === "reject") return new TroupeError("conflict", "The session is busy with another run.");
  if (length <= maxWaiting) return null;
  return new TroupeError(
    "conflict",
    `The session is busy and ${maxWaiting} runs wait for it already. Try again later.`,
  );
}

/** Refusal of a run that waited for `waitMs`. */
export function busyTooLong(waitMs: number): TroupeError {
  return new TroupeError(
    "conflict",
    `The session stayed busy for ${waitMs} ms. A run that starts another on its own session waits for itself: give the ` +
      "inner one a session of its own.",
  );
}
