import { RunPaused } from "../../agents/run/run-paused.ts";
import { putCancel, checkAnswer, findWait, hasAnswer, putAnswer, readInbox } from "../record/answers.ts";
import { cancelled, isEnded } from "../record/run-record.ts";
import { checkSignal, putSignal } from "../record/signals.ts";
import type { SignalOptions } from "../record/signals.ts";
import type { RunEngine } from "../processes/run-engine.ts";
import { isDue } from "../performer/run-ends.ts";
import type { RunPerformer } from "../performer/run-performer.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import type { Json } from "../../sessions/storage/json.ts";
import type { RunRecord } from "../record/run-record.ts";
import { writeInOrder } from "../record/run-writes.ts";
import type { ServiceParts, Performing } from "../processes/service-parts.ts";
import { withLoggedEnd } from "../record/find-runs.ts";
import type { RunStore } from "../record/run-store.ts";

/**
 * Stores the answer to a wait of a run, and puts a waiting run back in the queue. Returns the record to submit; `null`
 * if the run need not be submitted, because it has not stopped yet or already had this answer.
 */
export async function answerWait(
  { store, now }: Pick<ServiceParts, "store" | "now">,
  record: RunRecord,
  { waitId, answer }: { waitId: string; answer: Json },
): Promise<RunRecord | null> {
  const { runId } = record;
  const wait = await findWait(store.storage, record, waitId);
  const isOver = isEnded(record.status);
  if (wait === undefined) {
    if (isOver) throw runIsOver("answers");
    throw new TroupeError("not_found", `The run has no wait ${JSON.stringify(waitId.slice(0, 256))}.`);
  }
  const checked = checkAnswer(wait, answer);
  if (isOver || (wait.until !== undefined && wait.until <= now())) {
    if (await hasAnswer(store.storage, { runId, waitId }, checked)) return null;
    throw isOver ? runIsOver("answers") : new TroupeError("conflict", "The time for this answer is over.");
  }
  return await sendMessage(store, record, {
    put: () => putAnswer(store.storage, { runId, waitId }, checked),
    wake: () => store.wake(runId),
  });
}

/**
 * Stores a signal to a run, and puts the run back in the queue if it waits for that signal. Returns the record to
 * submit; `null` if the run need not be submitted.
 */
export async function signalRun(
  { store, now }: Pick<ServiceParts, "store" | "now">,
  record: RunRecord,
  { event, data, options }: { event: string; data: Json; options?: SignalOptions | undefined },
): Promise<RunRecord | null> {
  const signal = checkSignal(event, data, options);
  const { runId } = record;
  if (isEnded((await withLoggedEnd(store, record, now)).status)) throw runIsOver("signals");
  return await sendMessage(store, record, {
    put: () => putSignal(store.storage, runId, { ...signal, at: now() }),
    wake: async () => {
      const current = await store.read(runId);
      const isWoken = current?.status === "waiting" && isDue(current, await readInbox(store.storage, runId), now());
      return isWoken ? await store.wake(runId) : null;
    },
  });
}

/** Stores a message to a run, and wakes the run. A run that is about to stop for the message finds the message itself. */
async function sendMessage(
  { openRuns }: RunStore,
  record: RunRecord,
  { put, wake }: { put: () => Promise<void>; wake: () => Promise<RunRecord | null> },
): Promise<RunRecord | null> {
  const woken: { record: RunRecord | null } = { record: null };
  await writeInOrder("answer", {
    open: () => openRuns.hold(record),
    answer: put,
    wake: async () => (woken.record = await wake()),
  });
  return woken.record;
}

function runIsOver(messages: "answers" | "signals"): TroupeError {
  return new TroupeError("conflict", `The run is over: it takes no more ${messages}.`);
}

/**
 * Cancels a run. Returns `cancelled` if the run has ended now, `cancelling` if the process that performs it was
 * notified, and `over` if the run had ended before.
 */
export async function cancelRun(
  { parts, engine, performer }: RunControl,
  stored: RunRecord,
  reason?: string,
): Promise<"cancelled" | "cancelling" | "over"> {
  const { store, now, logger } = parts;
  const { runId } = stored;
  const record = await withLoggedEnd(store, stored, now);
  if (isEnded(record.status)) return "over";
  const performing = parts.performing.get(runId);
  await writeInOrder("cancel", {
    open: () => store.openRuns.hold(record),
    cancel: () => putCancel(store.storage, runId, reason),
  });
  performing?.cancel(cancelled(reason));
  const current = (await store.read(runId)) ?? record;
  if (isEnded(current.status)) return "over";
  if (isPerformed(parts, current, performing)) return "cancelling";
  // A job of the run that starts nevertheless finds that the run is over.
  await engine.withdraw(runId).catch((error: unknown) => {
    logger?.warn("The engine could not drop the job of a cancelled run.", { runId, error });
  });
  return await cancelUnperformed({ parts, performer }, record, reason);
}

/**
 * Returns true if an attempt at a run is in progress, here or in another process, which finds the run's cancellation.
 *
 * @param performing the attempt of this process when the run was cancelled
 */
function isPerformed(
  { node, performing: current }: Pick<ServiceParts, "node" | "performing">,
  { runId, status, node: lastNode }: RunRecord,
  performing: Performing | undefined,
): boolean {
  // If the record names this process although it makes no attempt at the run, the run's last attempt could not store
  // its outcome.
  const isLeft = lastNode === node && current.get(runId) === undefined;
  return status === "running" ? !isLeft : performing !== undefined && status !== "waiting";
}

/** Ends a run without an attempt in progress, unless an attempt has just begun. */
async function cancelUnperformed(
  { parts, performer }: Pick<RunControl, "parts" | "performer">,
  record: RunRecord,
  reason: string | undefined,
): Promise<"cancelled" | "cancelling"> {
  try {
    await performer.endUnperformed(record, cancelled(reason));
    return "cancelled";
  } catch (error) {
    if (!(error instanceof RunPaused) || error.reason !== "overtaken") throw error;
    // An attempt has just begun. It finds the cancellation in the storage, unless it has already read the run's
    // messages.
    parts.performing.get(record.runId)?.cancel(cancelled(reason));
    return "cancelling";
  }
}

/** The parts of a service that end runs on request. */
export type RunControl = {
  readonly parts: ServiceParts;
  readonly engine: RunEngine;
  readonly performer: RunPerformer;
};
