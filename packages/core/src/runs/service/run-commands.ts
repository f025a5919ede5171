import { RunPaused } from "../../agents/run/run-paused.ts";
import { putCancel, checkAnswer, findWait, hasAnswer, putAnswer } from "../record/answers.ts";
import { cancelled } from "../record/run-parts.ts";
import type { RunEngine } from "../processes/run-engine.ts";
import type { RunPerformer } from "../performer/run-performer.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import type { Json } from "../../sessions/storage/json.ts";
import { byKeys, runGroups } from "../record/run-keys.ts";
import { isEnded } from "../record/run-record.ts";
import type { RunRecord } from "../record/run-record.ts";
import { writeInOrder } from "../record/run-writes.ts";
import type { ServiceParts, Performing } from "../processes/service-parts.ts";
import { withTimeout } from "../../base/async/with-timeout.ts";
import { sleep } from "../../base/async/sleep.ts";
import { withLoggedEnd } from "../record/find-runs.ts";
import type { RunStore } from "../record/run-store.ts";
import { ownerKey } from "../../sessions/storage/owner-key.ts";
import type { SessionOwner } from "../../sessions/storage/session-owner.ts";

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
    if (isOver) throw runIsOver();
    throw new TroupeError("not_found", `The run has no wait ${JSON.stringify(waitId.slice(0, 256))}.`);
  }
  const checked = checkAnswer(wait, answer);
  if (isOver || (wait.until !== undefined && wait.until <= now())) {
    if (await hasAnswer(store.storage, { runId, waitId }, checked)) return null;
    throw isOver ? runIsOver() : new TroupeError("conflict", "The time for this answer is over.");
  }
  const woken: { record: RunRecord | null } = { record: null };
  await writeInOrder("answer", {
    // A run that does not wait yet may be suspended before the answer is stored. Then the sweep finds the answer only
    // through this entry in the list of open runs.
    open: () => store.hold(record),
    answer: () => putAnswer(store.storage, { runId, waitId }, checked),
    // A run that is about to stop for the wait finds the answer itself.
    wake: async () => (woken.record = await store.wake(runId)),
  });
  return woken.record;
}

function runIsOver(): TroupeError {
  return new TroupeError("conflict", "The run is over: it takes no more answers.");
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
    // An attempt may suspend the run before the cancellation is stored. Then the sweep finds the cancellation only
    // through this entry in the list of open runs.
    open: () => store.hold(record),
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

/** Milliseconds that a running run may take to end before its removal. */
const longestWaitMs = 10_000;

/** The parts of a service that end runs on request. */
export type RunControl = {
  readonly parts: ServiceParts;
  readonly engine: RunEngine;
  readonly performer: RunPerformer;
};

type Removal = {
  parts: ServiceParts;
  performing: ReadonlyMap<string, Performing>;
  cancel: (runId: string) => Promise<unknown>;
};

/** Removes a run with its log, the messages to it and its entries in lists. An open run is cancelled first. */
export async function removeRun({ parts, performing, cancel }: Removal, record: RunRecord): Promise<void> {
  const { runId } = record;
  let last: RunRecord | null = record;
  if (!isEnded(record.status)) {
    await cancel(runId);
    await withTimeout(performing.get(runId)?.done ?? Promise.resolve(), {
      timeoutMs: longestWaitMs,
      onTimeout: () => undefined,
    });
    last = await readEnded(parts, runId);
  }
  if (last === null) return;
  await parts.store.lists.remove(last);
  parts.vault.forget(runId);
  parts.locals.delete(runId);
  parts.admission?.remove(runId);
  parts.tails.fail(runId, new TroupeError("gone", "The run was removed."));
}

/**
 * Waits until a run that another process performs is over. Its log must not be removed earlier, because the log keeps
 * attempts apart. If that process crashed after storing the end in the log, the run's record does not show the end.
 */
async function readEnded(
  { store, now }: Pick<ServiceParts, "store" | "now">,
  runId: string,
): Promise<RunRecord | null> {
  for (let waitedMs = 0; ; waitedMs += 100) {
    const stored = await store.read(runId);
    const record = stored === null ? null : await withLoggedEnd(store, stored, now);
    if (stored === null || record === null) return null;
    if (isEnded(record.status)) {
      if (!isEnded(stored.status)) await storeEnd(store, record);
      return record;
    }
    if (waitedMs >= longestWaitMs) {
      throw new TroupeError("conflict", "The run is being cancelled by another process. Remove it again in a moment.");
    }
    await sleep(100);
  }
}

/**
 * Stores in the run's record an end that only the log contains. Otherwise the run would be performed again once its log
 * is removed.
 */
async function storeEnd(store: RunStore, { keys: _keys, ...ended }: RunRecord): Promise<void> {
  await store.change(ended.runId, ({ status }) => (isEnded(status) ? null : ended));
}

/** Returns the prefixes of all lists of an owner's runs, in the order in which they must be read. */
export function prefixesOf(owner: SessionOwner): string[] {
  return [...runGroups.map((group) => byKeys.group(ownerKey(owner), group)), byKeys.sessionsOf(owner)];
}

/**
 * Removes all runs that are listed under the given prefixes, in order. Tries all of them, then rejects with the first
 * failure; some runs may be left.
 */
export async function removeRuns(
  store: RunStore,
  prefixes: readonly string[],
  remove: (record: RunRecord) => Promise<void>,
): Promise<void> {
  const failures: unknown[] = [];
  for (const prefix of prefixes) {
    const entries = (await Array.fromAsync(store.lists.listEntries(prefix))).flat();
    for (const { runId, key } of entries) {
      const record = await store.read(runId);
      // The entry may belong to an earlier run. Its id may now belong to a run of another owner or session.
      if (record === null || !store.lists.places.has(key, record)) await store.lists.dropEntry(key);
      else await remove(record).catch((error: unknown) => failures.push(error));
    }
  }
  if (failures.length > 0) throw failures[0];
}
