import { CallerHoldings } from "../../sessions/session/caller-holdings.ts";
import { CallerShares, shareRefused } from "../../sessions/session/caller-shares.ts";
import type { HeldShare } from "../../sessions/session/caller-shares.ts";
import { anonymousCaller } from "../../sessions/session/counted-caller.ts";
import type { CountedCaller } from "../../sessions/session/counted-caller.ts";
import { callerOfOpen } from "../run-store/run-record.ts";
import type { OpenRun, RunRecord } from "../run-store/run-record.ts";

/**
 * Limits of the runs that are accepted: how many may wait, how many open runs a caller may have, and how many bytes the inputs of
 * those of all callers without a user may take.
 */
export type AdmissionLimits = {
  readonly maxQueued: number;
  readonly perCaller: number;
  readonly maxAnonymousBytes: number;
};

/** The open runs that callers hold, and the bytes of their inputs where they are counted. */
export type HeldRuns = { readonly runs: HeldShare; readonly bytes: HeldShare };

/** The part of the bytes of all callers without a user that one address may have. */
const partOfOne = 1 / 4;

/**
 * Counts the open runs of each caller: those that this process accepted or performs, and those that the last sweep found.
 */
export class Admission {
  readonly #rules: AdmissionRules;
  #open = new CallerHoldings();
  #bytes = new CallerHoldings();
  /** Runs that wait for an answer: they are open, and no sweep finds those of users. */
  readonly #waiting = new Map<string, CountedCaller>();

  constructor(limits: AdmissionLimits) {
    this.#rules = new AdmissionRules(limits);
  }

  /** Returns the number of open runs of a caller. Throws `rate_limited` when one more is too many. */
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

  /** Replaces the counts by the open runs that a sweep found, and those that wait. */
  replace(found: readonly (OpenRun & { runId: string })[]): void {
    this.#open = new CallerHoldings();
    this.#bytes = new CallerHoldings();
    for (const run of found) this.add(run, callerOfOpen(run));
    for (const [runId, caller] of this.#waiting) this.#open.set(runId, caller);
  }
}

/** The rules by which a run is accepted, given the counts. Each throws `rate_limited` when one more is too many. */
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

  /** Checks the open runs of a caller: of a user its own, of callers without a user all together, and their bytes. */
  checkOpen(caller: CountedCaller, { runs, bytes }: HeldRuns): void {
    const isAnonymous = caller.kind === "anonymous";
    // Those of all users together are bounded by those that wait to be performed.
    const full = this.#shares.fullOf(caller, { own: runs.own, together: isAnonymous ? runs.together : 0 });
    if (full !== undefined) throw shareRefused(full, "open runs");
    const fullBytes = this.#byteShares.fullOf(caller, isAnonymous ? bytes : { own: 0, together: 0 });
    if (fullBytes !== undefined) throw shareRefused(fullBytes, "bytes of inputs of open runs");
  }

  /** Checks the runs that wait to be performed, less those of callers without a user, who have a bound of their own. */
  checkQueued({ kind }: CountedCaller, queued: number): void {
    const { maxQueued } = this.#limits;
    if (kind === "anonymous" || queued < maxQueued) return;
    throw shareRefused({ whose: "users", limit: maxQueued }, "runs that wait to be performed");
  }

  /** Returns the number of open runs by which a caller goes behind others. Callers without a user are one. */
  openOf({ kind }: CountedCaller, { own, together }: HeldShare): number {
    if (kind === "host") return 0;
    // No more than a user can have: beyond it they are served in the order in which they came.
    return kind === "user" ? own : Math.min(together, this.#limits.perCaller);
  }
}
