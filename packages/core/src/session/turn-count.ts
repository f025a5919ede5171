import type { StorageDriver } from "../storage/storage-driver.ts";
import { changeSession } from "./change-session.ts";
import type { SessionRef } from "./session-keys.ts";
import { moveInIndex } from "./recent-index.ts";
import { nextRecency, recencyOf } from "./session-record.ts";
import type { SessionRecord } from "./session-record.ts";

/** Returns a copy of a session's record that counts the turn `seq` as its last and is updated now. */
export function withTurnCount(session: SessionRecord, seq: number): SessionRecord {
  const recency = nextRecency(recencyOf(session));
  return { ...session, turns: seq, updatedAt: Math.floor(recency / 1000), recency };
}

/**
 * Writes the number of turns into the session's record after the turn itself was stored, moves the session to the front
 * of its owner's list, and returns the record. The number never goes back, and a deleted session stays deleted.
 *
 * A failure is ignored: the turn is found without being counted, and the next turn counts both. Reported, it would fail
 * the run, which would be repeated.
 */
export async function writeTurnCount(
  driver: StorageDriver,
  ref: SessionRef,
  { known, seq }: { known: SessionRecord; seq: number },
): Promise<SessionRecord> {
  const change = (stored: SessionRecord) => (stored.turns >= seq ? null : withTurnCount(stored, seq));
  try {
    const written = await changeSession(driver, ref.key, { change, known });
    if (written !== null) {
      await moveInIndex(driver, ref, written);
      return written.after;
    }
  } catch {
    // See above.
  }
  return { ...known, turns: seq };
}
