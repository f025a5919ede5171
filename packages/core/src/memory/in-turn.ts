import { TroupeError } from "../errors/troupe-error.ts";
import { HeldTurn } from "../session/held-turn.ts";
import type { PlaceInLine } from "../session/place-in-line.ts";
import type { Place } from "../session/stored-record.ts";
import { turnQueueOf } from "../session/turn-queue-of.ts";
import type { StorageDriver } from "../storage/storage-driver.ts";

/** Records that are read, changed and written back by one at a time. */
export type Turn = { driver: StorageDriver; place: Place; signal?: AbortSignal | undefined };

/** Waiting costs little here, and a refusal costs the caller what it wanted to keep. */
const policy = { onBusy: "enqueue", maxWaiting: 1000, waitMs: 60_000 } as const;

/**
 * Works on the records once all who came before are done with them, whatever object they came through. It is a line of its
 * own: whoever has the session's turn may wait in it. A write that its caller gave up on holds the line until it settled.
 */
export async function inTurn<Result>(
  { driver, place, signal }: Turn,
  work: (held: HeldTurn) => Promise<Result>,
): Promise<Result> {
  // No encoded key holds a space: sessions stand in the same queue under their keys alone.
  const line = turnQueueOf(driver).join(`${place.namespace} ${place.key}`, { ...policy, signal });
  const held = new HeldTurn(line.leave);
  try {
    await grantedIn(line);
    return await work(held);
  } finally {
    held.release();
  }
}

async function grantedIn(line: PlaceInLine): Promise<void> {
  try {
    await line.granted;
  } catch (error) {
    if (!TroupeError.is(error) || error.code !== "conflict") throw error;
    const message = "Too many others change the same memory, or the storage hangs. Try again later.";
    throw new TroupeError("conflict", message, { cause: error });
  }
}
