import type { Journal } from "../../agents/journal/journal.ts";
import type { RunWait } from "../../agents/run/run-wait.ts";
import { readInbox } from "../run-store/answers.ts";
import type { InboxContent } from "../run-store/answers.ts";
import { callerOf } from "../run-store/run-record.ts";
import type { RunRecord } from "../run-store/run-record.ts";
import { readProperty } from "../../base/util/read-property.ts";
import type { RunningNote } from "./running-note.ts";
import { writeInOrder } from "../states/run-transitions.ts";
import { sweepMs } from "./run-sweep.ts";
import type { ServiceParts } from "./service-parts.ts";

/** Suspends durable runs: updates their record, and removes them from the list of open runs. */
export class RunSuspension {
  readonly #parts: ServiceParts;
  /** Submits a run again after a pause. */
  readonly #resubmit: (record: RunRecord, afterMs: number) => void;

  constructor(parts: ServiceParts, resubmit: (record: RunRecord, afterMs: number) => void) {
    this.#parts = parts;
    this.#resubmit = resubmit;
  }

  /** Suspends a run until the answers that its attempt requested. */
  async suspend(record: RunRecord, journal: Journal, note: RunningNote): Promise<void> {
    const { store } = this.#parts;
    const { runId } = record;
    const waiting: { record: RunRecord | null } = { record: null };
    const attempt = { runId, attempts: journal.attempt };
    await writeInOrder("suspend", {
      running: async () => {
        await note.write();
        note.close();
      },
      waiting: async () => {
        waiting.record = await store.suspend(attempt, journal.waits, this.#endOf(record));
        if (waiting.record !== null) this.#noteWaiting(waiting.record);
        return waiting.record !== null;
      },
      unlisted: () => waiting.record && this.#unlist(waiting.record),
    });
  }

  #noteWaiting(waiting: RunRecord): void {
    const { now, admission } = this.#parts;
    this.#warnOfDoubt(waiting);
    admission?.wait(waiting.runId, callerOf(waiting));
    const until = untilOf(waiting);
    // The sweep wakes runs whose waits end later.
    if (until - now() < sweepMs) this.#resubmit(waiting, until - now());
  }

  /** Removes a waiting run from the list of open runs, or wakes it for an answer that arrived while it was stopping. */
  async #unlist(waiting: RunRecord): Promise<void> {
    if (await this.takeOffList(waiting)) return;
    const woken = await this.#parts.store.wake(waiting.runId);
    if (woken !== null) this.#resubmit(woken, 0);
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
   * Suspends a run until a process has its missing parts. The run's log is unchanged, so that it may wait for long; the
   * sweep checks again if it can continue.
   */
  async waitForUpgrade(record: RunRecord, wait: RunWait): Promise<void> {
    if (record.waits?.[0]?.id === wait.id) return;
    const { store } = this.#parts;
    const waiting: { record: RunRecord | null } = { record: null };
    await writeInOrder("waitForUpgrade", {
      waiting: async () => (waiting.record = await store.suspend(record, [wait], this.#endOf(record))) !== null,
      open: () => waiting.record && store.open(waiting.record),
    });
  }

  /** Returns the time at which a waiting run of a caller without a verified user is ended; undefined for other runs. */
  #endOf(record: RunRecord): number | undefined {
    const { now, anonymousWaitMs } = this.#parts;
    return callerOf(record).kind === "anonymous" ? now() + anonymousWaitMs : undefined;
  }

  /**
   * Removes a waiting run from the list of open runs. If its wait ends at some time, it stays listed for the sweep at
   * that time. Returns false, and changes nothing, if the run can continue or was cancelled meanwhile.
   */
  async takeOffList(record: RunRecord): Promise<boolean> {
    const { store, now } = this.#parts;
    const open = await store.readOpen(record.runId);
    // The record already shows that the run waits: an answer that arrives later wakes it and changes the entry.
    const inbox = await readInbox(store.storage, record.runId);
    if (inbox.cancel !== undefined || isDue(record, inbox, now())) return false;
    const until = untilOf(record);
    await store.takeOffList(record, open, until === Infinity ? undefined : until - sweepMs);
    return true;
  }
}

/** Returns the time at which the run's first wait, or the run itself, ends without an answer. */
function untilOf({ waits = [], waitsUntil = Infinity }: RunRecord): number {
  return Math.min(waitsUntil, ...waits.map(({ until = Infinity }) => until));
}

/** Returns true for an anonymous caller's run whose time to wait for an answer is over, unless it has one. */
export function isLate(
  { waits = [], waitsUntil = Infinity }: RunRecord,
  { answers }: InboxContent,
  now: number,
): boolean {
  return waitsUntil <= now && !waits.some(({ id, until = Infinity }) => answers.has(id) || until <= now);
}

/** Returns true if a waiting run can continue: it has an answer, a wait is over, or it waits for a suitable process. */
export function isDue({ waits = [] }: RunRecord, { answers }: InboxContent, now: number): boolean {
  return waits.some(({ id, kind, until = Infinity }) => kind === "upgrade" || answers.has(id) || until <= now);
}
