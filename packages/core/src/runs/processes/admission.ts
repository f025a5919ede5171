import type { Logger } from "../../base/log/logger.ts";
import { CallerHoldings } from "../../sessions/session/caller-holdings.ts";
import { anonymousCaller } from "../../sessions/session/counted-caller.ts";
import type { CountedCaller } from "../../sessions/session/counted-caller.ts";
import { callerOfOpen } from "../record/open-runs.ts";
import type { OpenRun } from "../record/open-runs.ts";
import type { RunRecord } from "../record/run-record.ts";
import type { RunStore } from "../record/run-store.ts";
import { AdmissionRules } from "./admission-rules.ts";
import type { AdmissionLimits } from "./admission-rules.ts";
import type { RunEngine } from "./run-engine.ts";
import { SharedAdmission } from "./shared-admission.ts";

/**
 * Counts the open runs of each caller: the runs that this process accepted or suspended, and the runs that the last
 * periodic sweep found.
 */
export class Admission {
  readonly #rules: AdmissionRules;
  #open = new CallerHoldings();
  #bytes = new CallerHoldings();
  /** Open runs that wait for an answer. The runs of users are missing in the list that the sweep reads. */
  readonly #waiting = new Map<string, CountedCaller>();

  constructor(limits: AdmissionLimits) {
    this.#rules = new AdmissionRules(limits);
  }

  /**
   * Returns the number of open runs by which a caller's priority is lowered. Throws `rate_limited` if another run would
   * exceed a limit.
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

  /**
   * Recounts the open runs of each caller: the runs that the last sweep of the run store found, and the runs that wait
   * for an answer.
   */
  replace(found: readonly (OpenRun & { runId: string })[]): void {
    this.#open = new CallerHoldings();
    this.#bytes = new CallerHoldings();
    for (const run of found) this.add(run, callerOfOpen(run));
    for (const [runId, caller] of this.#waiting) this.#open.set(runId, caller);
  }
}

/** Returns the check of a new run against the limits, by the counts of this process or of all processes. */
export function admissionOf(
  { admission, store, logger }: { admission: Admission | undefined; store: RunStore; logger: Logger | undefined },
  engine: RunEngine,
  limits: AdmissionLimits,
): (caller: CountedCaller, bytes?: number) => Promise<number> {
  if (admission !== undefined) return async (caller) => admission.check(caller, await engine.waiting());
  const onError = (error: unknown) =>
    logger?.warn("The engine cannot count the runs that wait: their number is not limited.", { error });
  const shared = new SharedAdmission({ limits, store, engine, onError });
  return async (caller, bytes) => await shared.check(caller, bytes);
}
