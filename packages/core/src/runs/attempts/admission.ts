import { CallerHoldings } from "../../sessions/session/caller-holdings.ts";
import { CallerShares, shareRefused } from "../../sessions/session/caller-shares.ts";
import type { HeldShare } from "../../sessions/session/caller-shares.ts";
import { anonymousCaller } from "../../sessions/session/counted-caller.ts";
import type { CountedCaller } from "../../sessions/session/counted-caller.ts";
import { callerOfOpen } from "../run-store/run-record.ts";
import type { OpenRun, RunRecord } from "../run-store/run-record.ts";

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
 * Counts the open runs of each caller: those that this process accepted or suspended, and those that the last sweep
 * found.
 */
export class Admission {
  readonly #rules: AdmissionRules;
  #open = new CallerHoldings();
  #bytes = new CallerHoldings();
  /** Runs that wait for an answer. They are open, but no sweep finds those of users. */
  readonly #waiting = new Map<string, CountedCaller>();

  constructor(limits: AdmissionLimits) {
    this.#rules = new AdmissionRules(limits);
  }

  /**
   * Returns the number of open runs that lowers a caller's priority. Throws `rate_limited` if another run would exceed
   * a limit.
   */
  check(caller: CountedCaller, queued: number): number {
    const runs = this.#open.of(caller);
    this.#rules.checkOpen(caller, { runs, bytes: this.#bytes.of(caller) });
    this.#rules.checkQueued(caller, queued - this.#open.of(anonymousCaller()).together);
    return this.#rules.openOf(caller, runs);
  }

  add({ runId, inputBytes = 0 }: Pick<RunRecord, "runId" | "inputBytes">, caller: CountedCaller): void {
    this.#open.set(runId, caller);
    if (inputBytes > 0) this.#bytes.set(runId, caller, inputBytes);
  }

  /** Notes that a run waits for an answer. */
  wait(runId: string, caller: CountedCaller): void {
    this.#waiting.set(runId, caller);
  }

  remove(runId: string): void {
    this.#waiting.delete(runId);
    this.#open.delete(runId);
    this.#bytes.delete(runId);
  }

  /** Recounts the open runs of each caller: those that the last sweep of the run store found, and those that wait for an answer. */
  replace(found: readonly (OpenRun & { runId: string })[]): void {
    this.#open = new CallerHoldings();
    this.#bytes = new CallerHoldings();
    for (const run of found) this.add(run, callerOfOpen(run));
    for (const [runId, caller] of this.#waiting) this.#open.set(runId, caller);
  }
}

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
    // The total of all users is limited by the number of runs that wait to be performed.
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

  /** Returns the number of open runs that lowers a caller's priority. All callers without a user count as one. */
  openOf({ kind }: CountedCaller, { own, together }: HeldShare): number {
    if (kind === "host") return 0;
    // It is at most a user's maximum: callers without a user beyond it are served in order of arrival.
    return kind === "user" ? own : Math.min(together, this.#limits.perCaller);
  }
}
