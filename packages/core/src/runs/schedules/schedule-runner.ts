import { mapBounded } from "../../base/async/map-bounded.ts";
import { toPublicError } from "../../base/errors/public-error.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import type { Logger } from "../../base/log/logger.ts";
import { runNamespaces } from "../../agents/journal/log-entry.ts";
import { RetryPauses } from "../processes/run-sweep.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import type { SessionOwner } from "../../sessions/storage/session-owner.ts";
import type { ScheduledRequest, ScheduleRecord } from "./schedule-record.ts";
import { planDue, settleTime } from "./schedule-plan.ts";
import type { Outcome } from "./schedule-plan.ts";
import type { DueEntry, ScheduleStore } from "./schedule-store.ts";

/** Milliseconds after which the list of due schedules is read again, because another process may have changed it. */
const lookMs = 5000;
/**
 * Milliseconds from a storage's hint at a change until the due schedules are read. One read serves all hints until
 * then.
 */
const hintPauseMs = 50;
/** Milliseconds during which a due time is retried if its run cannot be accepted at present. */
const triedMs = 24 * 3_600_000;
/** Milliseconds after which a due schedule is tried again if its run could not begin. The last pause is repeated. */
const pausesMs = [1000, 2000, 5000];

/** Error codes of a due run that cannot succeed on a retry. */
const lasting: readonly string[] = ["not_found", "invalid_request", "invalid_config", "invalid_value"];

/** A run that is due. Its id is the same on all processes, so that it begins once. */
export type DueRun = { readonly runId: string; readonly request: ScheduledRequest; readonly idempotencyKey: string };

type RunnerInit = {
  readonly store: ScheduleStore;
  readonly now: () => number;
  readonly logger: Logger;
  /** Returns the id of the run that a schedule begins at one of its times. */
  readonly toRunId: (schedule: { id: string; owner: SessionOwner }, at: number) => string;
  readonly accept: (run: DueRun) => Promise<unknown>;
  /** Returns true if a run exists and is not over. */
  readonly isOpen: (runId: string) => Promise<boolean>;
  readonly cancel: (runId: string) => Promise<"cancelled" | "cancelling" | "over">;
  /** Returns false while this process must begin no scheduled runs, because its clock is wrong. */
  readonly mayBegin: () => boolean;
};

/**
 * Begins the runs of schedules. A due time is planned first, by a change of the stored schedule that only one process
 * makes. Then its run is accepted under an id made from the schedule and the time, and its outcome is recorded in the
 * history. If a process ends in between, any other process continues.
 */
export class ScheduleRunner {
  readonly #init: RunnerInit;
  readonly #pauses = new RetryPauses(pausesMs);
  /**
   * By id of a schedule whose run could not begin: the time, in epoch milliseconds, before which it is not tried again.
   */
  readonly #restUntil = new Map<string, number>();
  #interval: NodeJS.Timeout | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** The monotonic time at which `#timer` fires, and the due schedules are read next. */
  #timerAt = Infinity;
  #unwatch: (() => void) | undefined;
  #isStarted = false;
  /** True if another read of the due schedules was requested during a read, which may have missed a change. */
  #isAskedAgain = false;
  #passing: Promise<void> | undefined;

  constructor(init: RunnerInit) {
    this.#init = init;
  }

  /** Begins to read the due schedules and to begin their runs. The timers do not keep the process alive. */
  start(): void {
    this.#isStarted = true;
    const { storage } = this.#init.store;
    this.#unwatch = storage.watch?.(runNamespaces.dueSchedules, () => this.look(hintPauseMs));
    // A storage in memory gives a hint at each change, so that it need not be polled.
    if (!(storage instanceof InMemoryStorage)) this.#interval = setInterval(() => this.look(), lookMs).unref();
    this.look();
  }

  /** Begins no more runs. Resolves once the outcome of a run that is just being accepted is recorded. */
  async stop(): Promise<void> {
    this.#isStarted = false;
    clearInterval(this.#interval);
    clearTimeout(this.#timer);
    this.#timerAt = Infinity;
    this.#unwatch?.();
    await this.#passing;
  }

  /** Reads the due schedules after a pause, and begins their runs. Does nothing unless the runner was started. */
  look(afterMs = 0): void {
    if (!this.#isStarted || afterMs === Infinity) return;
    if (this.#passing !== undefined) return void (this.#isAskedAgain = true);
    // If an earlier read is planned, that read also serves this call: many hints must not delay it.
    const at = performance.now() + afterMs;
    if (at >= this.#timerAt) return;
    clearTimeout(this.#timer);
    this.#timerAt = at;
    this.#timer = setTimeout(() => {
      this.#timerAt = Infinity;
      this.#passing = this.#round();
    }, afterMs).unref();
  }

  async #round(): Promise<void> {
    this.#isAskedAgain = false;
    const waitMs = await this.pass();
    this.#passing = undefined;
    this.look(this.#isAskedAgain ? Math.min(hintPauseMs, waitMs) : waitMs);
  }

  /**
   * Handles the due times of all schedules once, as far as possible. Returns the milliseconds until it must be called
   * again; `Infinity` if no schedule has a time ahead. Never rejects.
   */
  async pass(): Promise<number> {
    const { store, now, mayBegin } = this.#init;
    if (!mayBegin()) return lookMs;
    try {
      const { due, nextAt = Infinity } = await store.listDue(now());
      await mapBounded(
        due.filter(({ id }) => !this.#rests(id)),
        (entry) => this.#advance(entry),
      );
      const rests = [...this.#restUntil.values()].filter((until) => until > now());
      const waitMs = Math.min(nextAt - now(), ...rests.map((until) => until - now()));
      return waitMs === Infinity ? Infinity : Math.max(0, Math.min(lookMs, waitMs));
    } catch (error) {
      this.#warn("The due schedules could not be read. That is tried again.", { error });
      return lookMs;
    }
  }

  #rests(id: string): boolean {
    const restMs = (this.#restUntil.get(id) ?? 0) - this.#init.now();
    // A pause that is too long means that the clock was put back, so the schedule is tried now.
    if (restMs > 0 && restMs <= 2 * lookMs) return true;
    this.#restUntil.delete(id);
    return false;
  }

  /** Handles the due times of one schedule. Never rejects, because one schedule must not stop the others. */
  async #advance(entry: DueEntry): Promise<void> {
    const { id } = entry;
    let isDone = false;
    try {
      isDone = await this.#settleDue(entry);
    } catch (error) {
      this.#warn("A due time of a schedule failed. It is tried again.", { id, error });
    }
    if (isDone) this.#pauses.forget(id);
    else this.#restUntil.set(id, this.#init.now() + this.#pauses.next(id));
  }

  /**
   * Begins the runs of a schedule's due times and records the outcomes. Returns false if the schedule must be tried
   * again.
   */
  async #settleDue(entry: DueEntry): Promise<boolean> {
    const { store, now } = this.#init;
    const stored = await store.read(entry.id);
    if (stored === null || stored.mark !== entry.mark) return await store.dropDue(entry).then(() => true);
    // An ended schedule becomes due once more at the time of its removal.
    if (stored.endedAt !== undefined) return await store.remove(stored);
    const planned = planDue(stored, now());
    let record: ScheduleRecord | null | undefined = planned === undefined ? stored : await store.write(stored, planned);
    // Another process has planned this due time, and is beginning its run.
    if (record === undefined) return false;
    for (const at of record.pending) {
      const outcome = await this.#begin(record, at);
      if (outcome === undefined) return false;
      record = await this.#settle(record, at, outcome);
      if (record === null) return true;
    }
    return true;
  }

  /** Records the outcome of a pending time. Returns the schedule's stored record; `null` if it was removed. */
  async #settle(given: ScheduleRecord, at: number, outcome: Outcome): Promise<ScheduleRecord | null> {
    const { store, now } = this.#init;
    let record: ScheduleRecord | null = given;
    while (record !== null) {
      const settled = settleTime(record, { at, now: now(), outcome });
      if (settled === undefined) return record;
      const written = await store.write(record, settled);
      if (written !== undefined) return written;
      record = await store.read(given.id);
    }
    return null;
  }

  /**
   * Begins the run of a pending time. Returns undefined if the run must wait for the previous run, and rejects if a
   * retry may succeed.
   */
  async #begin(record: ScheduleRecord, at: number): Promise<Outcome | undefined> {
    const { toRunId, accept, now } = this.#init;
    const blocked = await this.#checkOverlap(record);
    if (blocked !== undefined) return blocked === "wait" ? undefined : { status: "skipped" };
    const { id, owner, request } = record;
    const runId = toRunId(record, at);
    try {
      await accept({ runId, request: { ...request, owner }, idempotencyKey: `schedule ${id} ${at}` });
    } catch (error) {
      // The run of this due time began before its schedule was changed.
      if (isCode(error, "idempotency_mismatch")) return { status: "begun", runId };
      if (!lasting.some((code) => isCode(error, code)) && now() - at < triedMs) throw error;
      this.#init.logger.error("A run of a schedule could not begin.", { id, error });
      return { status: "failed", error: toPublicError(error) };
    }
    return { status: "begun", runId };
  }

  /**
   * Returns undefined if the next run may begin. With the option `"cancel-running"`, cancels the previous run first.
   */
  async #checkOverlap({ lastRunId, overlap }: ScheduleRecord): Promise<"wait" | "skip" | undefined> {
    const { isOpen, cancel } = this.#init;
    if (lastRunId === undefined || !(await isOpen(lastRunId))) return undefined;
    if (overlap === "skip") return "skip";
    if (overlap === "queue") return "wait";
    return (await cancel(lastRunId)) === "cancelling" ? "wait" : undefined;
  }

  #warn(message: string, fields: Record<string, unknown>): void {
    this.#init.logger.warn(message, fields);
  }
}

function isCode(error: unknown, code: string): boolean {
  return TroupeError.is(error) && error.code === code;
}
