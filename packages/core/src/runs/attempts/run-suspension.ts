import type { Journal } from "../../agents/journal/journal.ts";
import type { RunWait } from "../../agents/journal/log-entry.ts";
import { readInbox } from "../run-store/answers.ts";
import type { InboxContent } from "../run-store/answers.ts";
import { callerOf } from "../run-store/run-record.ts";
import type { RunRecord } from "../run-store/run-record.ts";
import { readProperty } from "../../base/util/read-property.ts";
import type { RunningNote } from "./running-note.ts";
import { sweepMs } from "./run-sweep.ts";
import type { ServiceParts } from "./service-parts.ts";

/** Lets durable runs wait: in their record, and off the list of open runs. */
export class RunSuspension {
  readonly #parts: ServiceParts;
  /** Submits a run again after a pause. */
  readonly #resubmit: (record: RunRecord, afterMs: number) => void;

  constructor(parts: ServiceParts, resubmit: (record: RunRecord, afterMs: number) => void) {
    this.#parts = parts;
    this.#resubmit = resubmit;
  }

  /** Lets a run wait for the answers that its attempt has asked for. */
  async suspend(record: RunRecord, journal: Journal, note: RunningNote): Promise<void> {
    const { store, now, admission } = this.#parts;
    const { runId } = record;
    await note.write();
    note.close();
    const waiting = await store.suspend({ runId, attempts: journal.attempt }, journal.waits, this.#endOf(record));
    if (waiting === null) return;
    this.#warnOfDoubt(waiting);
    admission?.wait(runId, callerOf(record));
    const until = untilOf(waiting);
    // A later end is the sweep's.
    if (until - now() < sweepMs) this.#resubmit(waiting, until - now());
    // An answer that came while the run was about to stop has woken nothing.
    if (await this.takeOffList(waiting)) return;
    const woken = await store.wake(runId);
    if (woken !== null) this.#resubmit(woken, 0);
  }

  /** Says how to answer for a call that may have had its effect: no client is there who knows. */
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

  /** Lets a run wait for what it needs. Nothing is logged, so that it may wait for long; the sweep looks again whether it can go on. */
  async waitForUpgrade(record: RunRecord, wait: RunWait): Promise<void> {
    if (record.waits?.[0]?.id === wait.id) return;
    const waiting = await this.#parts.store.suspend(record, [wait], this.#endOf(record));
    // A process that begins to serve looks for such runs.
    if (waiting !== null) await this.#parts.store.open(waiting);
  }

  /** Returns the time at which a run of a caller without a verified user is ended if it still waits. */
  #endOf(record: RunRecord): number | undefined {
    const { now, anonymousWaitMs } = this.#parts;
    return callerOf(record).kind === "anonymous" ? now() + anonymousWaitMs : undefined;
  }

  /** Takes a run that waits off the list of open runs. Returns false when an answer or a cancel has come meanwhile. */
  async takeOffList(record: RunRecord): Promise<boolean> {
    const { store, now } = this.#parts;
    const open = await store.readOpen(record.runId);
    // The record says that the run waits: an answer that comes after this wakes it, and changes the entry.
    const inbox = await readInbox(store.storage, record.runId);
    if (inbox.cancel !== undefined || isDue(record, inbox, now())) return false;
    const until = untilOf(record);
    await store.takeOffList(record, open, until === Infinity ? undefined : until - sweepMs);
    return true;
  }
}

/** Returns the time at which the first wait of a run ends by itself, or the run does. */
function untilOf({ waits = [], waitsUntil = Infinity }: RunRecord): number {
  return Math.min(waitsUntil, ...waits.map(({ until = Infinity }) => until));
}

/** Returns true for a run of an anonymous caller whose time to wait for an answer is over. */
export function isLate(
  { waits = [], waitsUntil = Infinity }: RunRecord,
  { answers }: InboxContent,
  now: number,
): boolean {
  return waitsUntil <= now && !waits.some(({ id, until = Infinity }) => answers.has(id) || until <= now);
}

/** Tells if a waiting run can go on: it has an answer, a wait is over, or it waits for a process to be right. */
export function isDue({ waits = [] }: RunRecord, { answers }: InboxContent, now: number): boolean {
  return waits.some(({ id, kind, until = Infinity }) => kind === "upgrade" || answers.has(id) || until <= now);
}
