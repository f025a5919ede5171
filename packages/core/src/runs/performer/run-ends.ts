import { callerOf, endOf } from "../record/run-record.ts";
import type { TroupeError } from "../../base/errors/troupe-error.ts";
import type { LoggedAttempts } from "../../agents/journal/logged-past.ts";
import type { Attempt } from "../../agents/journal/attempt.ts";
import type { LogEnd } from "../../agents/journal/log-entry.ts";
import { readLog } from "../../agents/journal/read-log.ts";
import type { Json } from "../../sessions/storage/json.ts";
import { isInvalid } from "../../sessions/storage/storage-failure.ts";
import { isRecord } from "../../base/util/is-record.ts";
import { readProperty } from "../../base/util/read-property.ts";
import { lookUpTarget, toFailedEnd } from "../processes/durable-target.ts";
import type { Running, RunRecord, StoredEnd } from "../record/run-record.ts";
import { writeInOrder } from "../record/run-writes.ts";
import type { RunningNote } from "./running-note.ts";
import type { ServiceParts } from "../processes/service-parts.ts";
import { takesSignal } from "../../agents/run/run-wait.ts";
import type { RunWait } from "../../agents/run/run-wait.ts";
import { readInbox } from "../record/answers.ts";
import type { InboxContent } from "../record/answers.ts";
import { sweepMs } from "../processes/run-sweep.ts";

/**
 * Ends durable runs: stores the end in their log and their record, frees their session, and informs the rest of the
 * service.
 */
export class RunEnds {
  readonly #parts: ServiceParts;

  constructor(parts: ServiceParts) {
    this.#parts = parts;
  }

  /** Ends a run with an error, without performing its unfinished work. */
  async end(record: RunRecord, durable: Attempt, error: TroupeError): Promise<void> {
    const end = toFailedEnd(error);
    if (error.code === "cancelled") end.output = await this.withToolStates(record.runId, end.output);
    // The number of attempts is taken from the journal, because the record may not count earlier attempts.
    await writeInOrder("end", {
      session: durable.attempt > 1 ? () => this.endSessionWait(record) : undefined,
      end: () => durable.end(end),
      record: () => this.finish(record, { attempts: durable.attempt, node: this.#parts.node, ...endOf(end) }),
    });
  }

  /** Stores the end from a run's log, with the log's number of attempts: after a crash the record may count fewer. */
  async finishLogged(record: RunRecord, ended: LogEnd, logged: LoggedAttempts | undefined): Promise<void> {
    await this.finish(record, { ...logged, ...endOf(ended) });
  }

  /**
   * Stores in the run's record the end that its log already contains, and frees all that this process holds for the
   * run.
   */
  async finish(record: RunRecord, end: StoredEnd & Partial<Running>, known?: RunRecord): Promise<void> {
    const { store, vault, admission, locals, logger } = this.#parts;
    // The run is removed from the counts of open runs first, because a client that has read the end may request the
    // next run immediately.
    admission?.remove(record.runId);
    vault.forget(record.runId);
    locals.delete(record.runId);
    await store.finish(record.runId, end, known).catch(async (error: unknown) => {
      if (!isInvalid(error)) throw error;
      // Together with the rest of the record, the output may be too large, although the log could store it.
      logger?.error("The output of a durable run is in its events alone: its record does not hold it.", { error });
      await store.finish(record.runId, { ...end, output: null });
    });
    this.#parts.memory?.end(record.runId);
  }

  /** Lets the run's session accept other runs, if the session notes that this run waits. */
  async endSessionWait({ kind, name, sessionId, owner, runId }: RunRecord): Promise<void> {
    const sessions = readProperty(lookUpTarget(this.#parts.registries, kind, name), "sessions");
    const endWait = readProperty(sessions, "endWait");
    if (typeof endWait !== "function") return;
    await Promise.resolve(Reflect.apply(endWait, sessions, [sessionId, runId, { owner }])).catch((error: unknown) =>
      this.#parts.logger?.warn("A session could not note that its run waits no longer.", { runId, error }),
    );
  }

  /**
   * Returns the output of a cancelled run, to which it adds `toolStates`: each tool call, as `settled` if its end is in
   * the log, otherwise as `unsettled`.
   */
  async withToolStates(runId: string, output: Json): Promise<Json> {
    const states = new Map<string, { step: string; toolName: string; state: "settled" | "unsettled" }>();
    for await (const page of readLog(this.#parts.store.storage, runId)) {
      for (const entry of page.flatMap(({ record }) => record.entries)) {
        if (entry.t === "call") states.set(entry.step, { step: entry.step, toolName: entry.tool, state: "unsettled" });
        const call = entry.t === "done" ? states.get(entry.step) : undefined;
        if (call !== undefined) call.state = "settled";
      }
    }
    if (states.size === 0) return output;
    return { ...(isRecord(output) ? output : {}), toolStates: [...states.values()] };
  }
}

/** Milliseconds after which a due run is checked again if this process is still performing its last attempt. */
const leavingPauseMs = 100;

/** Suspends durable runs: updates their record, and removes them from the list of open runs. */
export class RunSuspension {
  readonly #parts: ServiceParts;
  /** Submits a run again. */
  readonly #resubmit: (record: RunRecord) => void;

  constructor(parts: ServiceParts, resubmit: (record: RunRecord) => void) {
    this.#parts = parts;
    this.#resubmit = resubmit;
  }

  /** Suspends a run until the questions of its attempt are answered. */
  async suspend(record: RunRecord, durable: Attempt, note: RunningNote): Promise<void> {
    const { store } = this.#parts;
    const { runId } = record;
    const waiting: { record: RunRecord | null } = { record: null };
    const attempt = { runId, attempts: durable.attempt };
    await writeInOrder("suspend", {
      running: async () => {
        await note.write();
        note.close();
      },
      waiting: async () => {
        waiting.record = await store.suspend(attempt, durable.steps.waits, this.#endOf(record));
        if (waiting.record !== null) this.#noteWaiting(waiting.record);
        return waiting.record !== null;
      },
      unlisted: () => waiting.record && this.#unlist(waiting.record),
    });
  }

  #noteWaiting(waiting: RunRecord): void {
    this.#warnOfDoubt(waiting);
    this.#parts.admission?.wait(waiting.runId, callerOf(waiting));
  }

  /**
   * Removes a waiting run from the list of open runs, or puts it back in the queue for an answer that arrived while it
   * was stopping.
   */
  async #unlist(waiting: RunRecord): Promise<void> {
    if (await this.takeOffList(waiting)) return;
    const woken = await this.#parts.store.wake(waiting.runId);
    if (woken !== null) this.#resubmit(woken);
  }

  /**
   * Wakes a run whose time is over, unless it no longer waits, or waits until a later time. Never rejects: after a
   * failure the sweep wakes the run.
   */
  async wakeDue(runId: string): Promise<void> {
    const { store, due, now, logger, isAlone } = this.#parts;
    try {
      const record = await store.readStored(runId);
      if (record?.status !== "waiting") return;
      const until = endOfWaits(record);
      if (until > now()) return due.add(runId, until);
      if (isAlone) return await this.#resubmitDue(record);
      // `store.wake` writes the record, so only one of several processes wakes the run. It also starts a new
      // activation: the engine may still know the job of the attempt that suspended the run.
      const woken = await store.wake(runId, record);
      if (woken !== null) this.#resubmit(woken);
    } catch (error) {
      logger.warn("A waiting run could not be woken at its time. The sweep wakes it.", { runId, error });
    }
  }

  /**
   * Submits a run whose time is over, without a write. If no other process performs runs, an attempt can begin from the
   * record of the waiting run. Two writes for each run would delay all runs if many sleep.
   */
  async #resubmitDue(record: RunRecord): Promise<void> {
    const { due, now, performing } = this.#parts;
    const { runId } = record;
    // This process is still ending the attempt that suspended the run, or a sweep has already begun another attempt.
    // The job of an attempt must be over before the engine takes another job of the same activation.
    if (performing.has(runId)) return due.add(runId, now() + leavingPauseMs);
    // A storage in the same thread answers within one turn of the event loop. The pause lets earlier woken runs begin
    // first.
    await new Promise((resolve) => setImmediate(resolve));
    this.#resubmit(record);
  }

  /** Warns how to answer a `doubt` wait about a call that may have had its effect, because no client can answer it. */
  #warnOfDoubt({ runId, waits = [] }: RunRecord): void {
    for (const { id: waitId, kind, about } of waits) {
      if (kind !== "doubt") continue;
      const name = JSON.stringify(readProperty(about, "toolName"));
      this.#parts.logger.warn(
        `A run waits: its process ended during ${name}, which may have had its effect. Answer with runs.answer(runId, waitId, ` +
          '{ choice: "happened", result }, { choice: "again" } or { choice: "giveUp" }, "host"). ' +
          "A tool or function step whose effect may happen twice says so by effect, and is called again.",
        { runId, waitId },
      );
    }
  }

  /**
   * Suspends a run until a process has the tools, workflow steps or keys that the run needs and this process lacks. The
   * run's log is unchanged, so that the run may wait for long; the periodic sweep of open runs checks again if the run
   * can continue.
   */
  async waitForUpgrade(record: RunRecord, wait: RunWait): Promise<void> {
    if (record.waits?.[0]?.id === wait.id) return;
    const { store } = this.#parts;
    const waiting: { record: RunRecord | null } = { record: null };
    await writeInOrder("waitForUpgrade", {
      waiting: async () => (waiting.record = await store.suspend(record, [wait], this.#endOf(record))) !== null,
      open: () => waiting.record && store.openRuns.relist(waiting.record),
    });
  }

  /** Returns the time at which a waiting run of a caller without a verified user is ended; undefined for other runs. */
  #endOf(record: RunRecord): number | undefined {
    const { now, anonymousWaitMs } = this.#parts;
    return callerOf(record).kind === "anonymous" ? now() + anonymousWaitMs : undefined;
  }

  /**
   * Removes a waiting run from the list of open runs. If its wait has a time limit, the run stays listed, so that some
   * process finds it at that time. Returns false, and changes nothing, if the run can continue or was cancelled
   * meanwhile.
   */
  async takeOffList(record: RunRecord): Promise<boolean> {
    const { store, due, now } = this.#parts;
    await store.notify(record);
    const open = await store.openRuns.read(record.runId);
    // The record already shows that the run waits: an answer that arrives later puts it back in the queue and changes
    // its entry in the list of open runs.
    const inbox = await readInbox(store.storage, record.runId);
    if (inbox.cancel !== undefined || isDue(record, inbox, now())) return false;
    const until = untilOf(record);
    await store.openRuns.removeWaiting(record, open, until === Infinity ? undefined : until - sweepMs);
    due.add(record.runId, endOfWaits(record));
    return true;
  }
}

/** Returns the time at which the run's first wait, or the run itself, ends without an answer. */
function untilOf(record: RunRecord): number {
  return Math.min(record.waitsUntil ?? Infinity, endOfWaits(record));
}

/** Returns the time at which the run's first wait ends without an answer. */
function endOfWaits({ waits = [] }: RunRecord): number {
  return Math.min(...waits.map(({ until = Infinity }) => until));
}

/**
 * Returns true for an anonymous caller's run whose time to wait for an answer is over, unless the run has an answer.
 */
export function isLate({ waits = [], waitsUntil = Infinity }: RunRecord, inbox: InboxContent, now: number): boolean {
  return waitsUntil <= now && !waits.some((wait) => isOver(wait, inbox, now));
}

/**
 * Returns true if a waiting run can continue: it has an answer or a signal, the time of a wait is over, or it waits for
 * a process with the missing tools or keys.
 */
export function isDue({ waits = [] }: RunRecord, inbox: InboxContent, now: number): boolean {
  return waits.some((wait) => wait.kind === "upgrade" || isOver(wait, inbox, now));
}

/** Returns true if a wait has an answer or a signal, or if its time is over. */
function isOver(wait: RunWait, { answers, signals }: InboxContent, now: number): boolean {
  const { id, until = Infinity } = wait;
  return answers.has(id) || until <= now || signals.some((signal) => takesSignal(wait, signal));
}
