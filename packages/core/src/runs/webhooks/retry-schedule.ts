/** Milliseconds for which attempts at a delivery are repeated. */
const triedMs = 86_400_000;
/** Milliseconds before the second attempt. Each further pause is twice as long, up to the longest. */
const firstPauseMs = 10_000;
const longestPauseMs = 3_600_000;
/**
 * Milliseconds after the end of the longest possible attempt in which its outcome must be stored. Afterwards another
 * process may try.
 */
const storedMs = 30_000;

/** The claim of the process that sends a delivery now. It began at `at` and expires at `until`, in epoch ms. */
export type DeliveryLease = { readonly token: string; readonly at?: number; readonly until: number };

/** Returns the end of a lease for one attempt, whose answer comes within `timeoutMs`. */
export function leaseUntil(now: number, timeoutMs: number): number {
  return now + timeoutMs + storedMs;
}

/**
 * Returns true if another process may still hold a lease. A lease from before `aloneSince` is left over: from then on this
 * process has the storage to itself.
 */
export function isHeld({ at, until }: DeliveryLease, now: number, aloneSince = -Infinity): boolean {
  return until > now && !(at !== undefined && at < aloneSince);
}

/** Returns true if a delivery that was first tried at `since` has been tried for the full time that is allowed. */
export function isGivenUp(since: number, now: number): boolean {
  return now - since >= triedMs;
}

/** A delivery whose last attempt has failed. `since` is the time of its first attempt. */
export type FailedAttempt = {
  readonly since: number;
  readonly attempts: number;
  /** Milliseconds that the receiver asks to wait. */
  readonly waitMs?: number | undefined;
  /** Milliseconds to pause after the first attempt. @default 10_000 */
  readonly firstMs?: number | undefined;
};

/** Returns the time of the next attempt. A random part spreads the attempts to a receiver that was down. */
export function nextAttemptAt({ since, attempts, waitMs = 0, firstMs = firstPauseMs }: FailedAttempt, now: number) {
  const pause = Math.min(longestPauseMs, Math.max(waitMs, firstMs * 2 ** Math.min(attempts - 1, 20)));
  // The last attempt is made when `triedMs` have passed since `since`.
  return Math.trunc(Math.min(now + pause * (1 + Math.random() / 4), Math.max(now + 1, since + triedMs)));
}
