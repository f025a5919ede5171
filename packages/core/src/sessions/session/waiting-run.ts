import { sleep } from "../../base/async/sleep.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import type { StorageDriver } from "../storage/storage-driver.ts";
import { changeSession } from "./change-session.ts";
import type { SessionRecord } from "./session-record.ts";

/** Milliseconds after which a session is looked at again whose waiting run is about to end. */
const endingPauseMs = 50;

/** A session, and those who may cancel the run that waits in it: each tells if that is over. */
type WaitedSession = {
  readonly driver: StorageDriver;
  readonly key: string;
  readonly listeners: readonly { cancelWaiting?(runId: string): Promise<boolean> }[];
};

/**
 * Cancels the run that waits in a session, so that another one can begin. Resolves when it is time to look at the session again.
 * Rejects with `conflict` where the other run is to be refused instead.
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
  // The end of a run may not have reached its session. One that is not over needs the storage, and a turn of the event loop.
  if (isOver) await endWait(driver, key, runId);
  else await sleep(endingPauseMs, signal);
}

/** Notes in a session that a run waits no longer. Does nothing where it does not wait. */
export async function endWait(driver: StorageDriver, key: string, runId: string): Promise<void> {
  const change = ({ waiting, ...stored }: SessionRecord) => (waiting === runId ? stored : null);
  await changeSession(driver, key, { change });
}
