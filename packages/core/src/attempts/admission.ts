import { TroupeError } from "../errors/troupe-error.ts";
import { ownerKey } from "../session/session-keys.ts";
import type { SessionOwner } from "../session/session-owner.ts";
import type { OpenRun } from "../run-store/run-record.ts";

/** Milliseconds after which a refused caller may try again. */
const retryAfterMs = 1000;

/** Limits of the runs that are accepted: how many may wait, and how many open runs a caller may have. */
export type AdmissionLimits = { readonly maxQueued: number; readonly perCaller: number };

/**
 * Counts the open runs of each caller: those that this process accepted or performs, and those that the last sweep found.
 */
export class Admission {
  readonly #limits: AdmissionLimits;
  /** Open runs by owner. */
  #open = new Map<string, Set<string>>();
  /** Runs that wait for an answer: they are open, and no sweep finds them. */
  readonly #waiting = new Map<string, string>();

  constructor(limits: AdmissionLimits) {
    this.#limits = limits;
  }

  /** Returns the number of open runs of a caller. Throws `rate_limited` when one more is too many. */
  check(owner: SessionOwner, queued: number): number {
    checkQueued(this.#limits, queued);
    // All callers without a user are one owner.
    const open = owner.userId === undefined ? 0 : (this.#open.get(ownerKey(owner))?.size ?? 0);
    checkOpen(this.#limits, open);
    return open;
  }

  add(runId: string, owner: SessionOwner): void {
    if (owner.userId !== undefined) this.#add(runId, ownerKey(owner));
  }

  /** Notes that a run waits for an answer. */
  wait(runId: string, owner: SessionOwner): void {
    if (owner.userId !== undefined) this.#waiting.set(runId, ownerKey(owner));
  }

  remove(runId: string, owner: SessionOwner): void {
    this.#waiting.delete(runId);
    const key = ownerKey(owner);
    const runs = this.#open.get(key);
    runs?.delete(runId);
    if (runs?.size === 0) this.#open.delete(key);
  }

  /** Replaces the counts by the open runs that a sweep found, and those that wait. */
  replace(found: readonly (OpenRun & { runId: string })[]): void {
    this.#open = new Map();
    for (const { runId, owner } of found) if (!owner.endsWith("/-")) this.#add(runId, owner);
    for (const [runId, owner] of this.#waiting) this.#add(runId, owner);
  }

  #add(runId: string, key: string): void {
    const runs = this.#open.get(key) ?? new Set();
    this.#open.set(key, runs.add(runId));
  }
}

/** Throws `rate_limited` when one more waiting run is too many. */
export function checkQueued({ maxQueued }: AdmissionLimits, queued: number): void {
  if (queued >= maxQueued) throw refused(`${maxQueued} runs wait already. Try again later.`, maxQueued);
}

/** Throws `rate_limited` when one more open run of a caller is too many. */
export function checkOpen({ perCaller }: AdmissionLimits, open: number): void {
  if (open < perCaller) return;
  throw refused(`This user has ${perCaller} open runs. Wait for one to end, or cancel one.`, perCaller);
}

function refused(message: string, limit: number): TroupeError {
  return new TroupeError("rate_limited", message, { fields: { limit, retryAfterMs } });
}
