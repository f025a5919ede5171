import { mapBounded } from "../../base/async/map-bounded.ts";
import { runNamespaces } from "../../agents/journal/log-entry.ts";
import { ObservedCounters } from "../../sessions/lock/liveness.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import type { Admission } from "./admission.ts";
import { readCancels } from "../record/answers.ts";
import type { DueRuns } from "./due-runs.ts";
import type { Performing } from "./service-parts.ts";
import type { FoundOpenRun } from "../record/open-runs.ts";
import type { RunStore } from "../record/run-store.ts";
import type { Logger } from "../../base/log/logger.ts";
import type { RunRecord } from "../record/run-record.ts";
import type { RunEngine } from "./run-engine.ts";

/** Milliseconds after the last submission of an open run after which it is submitted again. */
export const sweepMs = 30_000;
/** Milliseconds between two checks for cancellations from other processes. */
const cancelLookMs = 1000;
/**
 * Milliseconds from a storage's hint that messages to runs have changed to the check for cancellations. One check
 * serves all hints until then.
 */
const hintPauseMs = 50;

type SweepInit = {
  store: RunStore;
  admission: Admission | undefined;
  performing: ReadonlyMap<string, Performing>;
  /** Gets the waiting runs that the sweep finds, with the times at which they are woken. */
  due: Pick<DueRuns, "add">;
  now: () => number;
  submit: (run: FoundOpenRun) => Promise<void>;
  cleanUp: () => Promise<void>;
  cancel: (runId: string, reason: string | undefined) => void;
  onError: (error: unknown) => void;
};

/**
 * The timers of a process that performs runs. They submit open runs that no process performs, remove old runs, and
 * detect cancellations from other processes. They do not keep the process alive.
 */
export class RunSweep {
  readonly #init: SweepInit;
  /**
   * The open runs whose submission time lies in the future, because the clock of the process that wrote it was ahead.
   */
  readonly #ahead = new ObservedCounters();
  #timers: readonly NodeJS.Timeout[] = [];
  #unwatch: (() => void) | undefined;
  #hint: NodeJS.Timeout | undefined;
  #isSweeping = false;
  #isLooking = false;

  constructor(init: SweepInit) {
    this.#init = init;
  }

  start(): void {
    const { storage } = this.#init.store;
    // The sweep runs more often than runs become due, so that the entries of this process's runs are renewed before
    // another process takes over these runs.
    this.#timers = [setInterval(() => void this.sweep(), sweepMs / 3).unref()];
    if (storage instanceof InMemoryStorage) return;
    this.#timers = [...this.#timers, setInterval(() => void this.#look(), cancelLookMs).unref()];
    this.#unwatch = storage.watch?.(runNamespaces.inbox, () => {
      this.#hint ??= setTimeout(() => void this.#look(), hintPauseMs).unref();
    });
  }

  stop(): void {
    for (const timer of this.#timers) clearInterval(timer);
    clearTimeout(this.#hint);
    this.#unwatch?.();
  }

  /** Submits the open runs whose last submission is too long ago, and removes old runs. Never rejects. */
  async sweep(): Promise<void> {
    if (this.#isSweeping) return;
    this.#isSweeping = true;
    const { cleanUp, onError } = this.#init;
    const startedAt = performance.now();
    const ahead: [runId: string, submittedAt: number][] = [];
    await this.#submitDue(({ runId, submittedAt, isTimed = false }) => {
      let age = this.#init.now() - submittedAt;
      if (age < 0 && !isTimed) {
        // A future time is from a wrong clock and gives no age. A live process renews the entries of its runs, so the
        // time for which an entry stays unchanged is used as its age.
        ahead.push([runId, submittedAt]);
        age = this.#ahead.stillMs(runId, startedAt);
      }
      return age >= (this.#init.performing.has(runId) ? sweepMs / 3 : sweepMs);
    });
    this.#ahead.observe(ahead, startedAt);
    await cleanUp().catch(onError);
    this.#isSweeping = false;
  }

  /**
   * Submits the open runs of earlier processes, whatever the clocks of those processes showed: the runs that pass the
   * test, except waiting runs that must be submitted at a later time.
   */
  async takeUp(test: (run: FoundOpenRun) => boolean = () => true): Promise<void> {
    await this.#submitDue((run) => (run.isTimed !== true || wokenAt(run) <= this.#init.now()) && test(run));
  }

  async #submitDue(isDue: (run: FoundOpenRun) => boolean): Promise<void> {
    const { store, admission, due, onError } = this.#init;
    const found: FoundOpenRun[] = [];
    try {
      for await (const page of store.openRuns.list(onError)) {
        found.push(...page);
        const later = page.filter((run) => run.isTimed === true && !isDue(run));
        for (const run of later) due.add(run.runId, wokenAt(run));
        await mapBounded(page.filter(isDue), (run) => this.#submit(run));
      }
      admission?.replace(found);
    } catch (error) {
      onError(error);
    }
  }

  /**
   * Renews an open run's entry, and submits the run unless this process performs it. Never rejects, because the failure
   * of one run must not stop the others.
   */
  async #submit(run: FoundOpenRun): Promise<void> {
    const { store, performing, submit, onError } = this.#init;
    try {
      if ((await store.openRuns.renew(run)) && !performing.has(run.runId)) await submit(run);
    } catch (error) {
      onError(error);
    }
  }

  async #look(): Promise<void> {
    this.#hint = undefined;
    const { performing, store, cancel, onError } = this.#init;
    if (this.#isLooking || performing.size === 0) return;
    this.#isLooking = true;
    const found = await readCancels(store.storage, [...performing.keys()], onError);
    for (const [runId, { reason }] of found) cancel(runId, reason);
    this.#isLooking = false;
  }
}

/** Returns the time at which a timed run is woken. */
function wokenAt({ submittedAt }: FoundOpenRun): number {
  return submittedAt + sweepMs;
}

/** Submits runs to an engine. */
export class RunSubmission {
  readonly #engine: RunEngine;
  readonly #logger: Logger;

  constructor(engine: RunEngine, logger: Logger) {
    this.#engine = engine;
    this.#logger = logger;
  }

  /** Submits a run. Never rejects: the sweep submits a run that the engine did not accept. */
  async submit({ runId, activation, priority, notBefore }: RunRecord): Promise<void> {
    const job = { runId, activation, priority, ...(notBefore !== undefined && { notBefore }) };
    await this.#engine.submit(job).catch((error: unknown) => {
      this.#logger.warn("The engine did not take a run. It is submitted again.", { runId, error });
    });
  }
}

/**
 * The maximum number of runs whose pauses are remembered. A run that was forgotten begins with the first pause again.
 */
const mostRuns = 1000;

/** Growing pauses of runs, each slightly randomised, so that runs that stopped together do not resume together. */
export class RetryPauses {
  readonly #pausesMs: readonly number[];
  readonly #counts = new Map<string, number>();

  /** @param pausesMs the pauses of a run in milliseconds; the last is repeated */
  constructor(pausesMs: readonly number[]) {
    this.#pausesMs = pausesMs;
  }

  /** Returns the next pause of a run, in milliseconds. */
  next(runId: string): number {
    const count = this.#counts.get(runId) ?? 0;
    this.forget(runId);
    this.#counts.set(runId, count + 1);
    for (const oldest of this.#counts.keys()) {
      if (this.#counts.size <= mostRuns) break;
      this.#counts.delete(oldest);
    }
    const pauseMs = this.#pausesMs[Math.min(count, this.#pausesMs.length - 1)] ?? 0;
    return Math.round(pauseMs * (0.8 + Math.random() * 0.4));
  }

  /** Forgets the pauses of a run, so that the run's next pause is the shortest again. */
  forget(runId: string): void {
    this.#counts.delete(runId);
  }
}
