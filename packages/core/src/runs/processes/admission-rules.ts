import { CallerShares, shareRefused } from "../../sessions/session/caller-shares.ts";
import type { HeldShare } from "../../sessions/session/caller-shares.ts";
import type { CountedCaller } from "../../sessions/session/counted-caller.ts";

/**
 * Limits on accepted runs: the number of waiting runs, the open runs of each caller, and the input bytes of all callers
 * without a user.
 */
export type AdmissionLimits = {
  readonly maxQueued: number;
  readonly perCaller: number;
  readonly maxAnonymousBytes: number;
};

/** The open runs that callers hold, and the bytes of their inputs if these are counted. */
export type HeldRuns = { readonly runs: HeldShare; readonly bytes: HeldShare };

/** The share of the input bytes of all callers without a user that one address may use. */
const partOfOne = 1 / 4;

/**
 * The rules by which a run is accepted, given the counts of open runs. The checks throw `rate_limited` if another run
 * would exceed a limit.
 */
export class AdmissionRules {
  readonly #limits: AdmissionLimits;
  readonly #shares: CallerShares;
  readonly #byteShares: CallerShares;

  constructor(limits: AdmissionLimits) {
    const { maxAnonymousBytes: total } = limits;
    this.#limits = limits;
    this.#byteShares = new CallerShares({ total, perCaller: Math.ceil(total * partOfOne) });
    this.#shares = new CallerShares({ total: limits.maxQueued, perCaller: limits.perCaller });
  }

  /** Checks the open runs of a caller: a user's own runs, or the runs and bytes of all callers without a user. */
  checkOpen(caller: CountedCaller, { runs, bytes }: HeldRuns): void {
    const isAnonymous = caller.kind === "anonymous";
    // The open runs of all users together are limited only by the number of runs that wait to be performed.
    const full = this.#shares.fullOf(caller, { own: runs.own, together: isAnonymous ? runs.together : 0 });
    if (full !== undefined) throw shareRefused(full, "open runs");
    const fullBytes = this.#byteShares.fullOf(caller, isAnonymous ? bytes : { own: 0, together: 0 });
    if (fullBytes !== undefined) throw shareRefused(fullBytes, "bytes of inputs of open runs");
  }

  /**
   * Checks the number of runs that wait to be performed. Runs of callers without a user are excluded, because they have
   * their own limit.
   */
  checkQueued({ kind }: CountedCaller, queued: number): void {
    const { maxQueued } = this.#limits;
    if (kind === "anonymous" || queued < maxQueued) return;
    throw shareRefused({ whose: "users", limit: maxQueued }, "runs that wait to be performed");
  }

  /** Returns the number of open runs that lower a caller's priority. All callers without a user count as one caller. */
  openOf({ kind }: CountedCaller, { own, together }: HeldShare): number {
    if (kind === "host") return 0;
    // The open runs of callers without a user count up to the limit of one user, `perCaller`. Beyond it, they and users
    // at that limit are served in order of arrival.
    return kind === "user" ? own : Math.min(together, this.#limits.perCaller);
  }
}
