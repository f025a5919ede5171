import { sleep } from "../../base/async/sleep.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import type { StorageDriver } from "../storage/storage-driver.ts";
import { changeSession } from "./change-session.ts";
import type { SessionRecord } from "./session-record.ts";

/** Milliseconds before a session is read again if its waiting run is about to end. */
const endingPauseMs = 50;

/** A session, and the listeners that may cancel the run waiting in it. Each returns true if that run is over. */
type WaitedSession = {
  readonly driver: StorageDriver;
  readonly key: string;
  readonly listeners: readonly { cancelWaiting?(runId: string): Promise<boolean> }[];
};

/**
 * Cancels the run that waits in a session, so that another run can begin. Resolves when it is time to read the session
 * again. Rejects with `conflict` if the new run must be rejected instead.
 */
export async function endOtherWait(
  { driver, key, listeners }: WaitedSession,
  runId: string,
  { onWaiting = "reject", signal }: { onWaiting?: "reject" | "cancel" | undefined; signal?: AbortSignal | undefined },
): Promise<void> {
  const cancelling = listeners.filter((listener) => listener.cancelWaiting !== undefined);
  if (onWaiting === "reject" || cancelling.length === 0) {
    const message = "A run of this session waits for an answer. Answer or cancel it first: fields.runId is its id.";
    throw new TroupeError("conflict", message, { fields: { runId } });
  }
  let isOver = true;
  for (const listener of cancelling) isOver = (await listener.cancelWaiting?.(runId)) !== false && isOver;
  // A run that is over may not have recorded that in its session yet. If the run is not over, its process needs a
  // moment to end it.
  if (isOver) await endWait(driver, key, runId);
  else await sleep(endingPauseMs, signal);
}

/** Records in a session that a run no longer waits. Does nothing if the run does not wait there. */
export async function endWait(driver: StorageDriver, key: string, runId: string): Promise<void> {
  const change = ({ waiting, ...stored }: SessionRecord) => (waiting === runId ? stored : null);
  await changeSession(driver, key, { change });
}
