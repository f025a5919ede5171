import type { MessageContent } from "../../base/message/content.ts";
import type { OrderingClock } from "../lock/ordering-clock.ts";
import { clockOf } from "../lock/session-queues.ts";
import type { StorageDriver } from "../storage/storage-driver.ts";
import { changeSession } from "./change-session.ts";
import type { SessionRef } from "./session-keys.ts";
import { moveInIndex } from "./recent-index.ts";
import { recencyOf } from "./session-record.ts";
import { toTitle } from "./session-title.ts";
import type { SessionRecord } from "./session-record.ts";

/** A stored turn, for counting it in its session's record: its number, and its input, which may become the title. */
export type CountedTurn = { seq: number; input: MessageContent };

/**
 * Returns a copy of a session's record that counts a turn as its last and is updated now. A session without a title
 * gets one from the turn's input.
 */
export function withTurnCount(
  session: SessionRecord,
  { seq, input }: CountedTurn,
  clock: OrderingClock,
): SessionRecord {
  const recency = clock.next(recencyOf(session));
  const counted = { ...session, turns: seq, updatedAt: Math.max(Date.now(), session.updatedAt), recency };
  const title = session.title === undefined ? toTitle(input) : undefined;
  return title === undefined ? counted : { ...counted, title, titleBy: "message" };
}

/**
 * Writes the number of turns into the session's record after the turn itself was stored. Moves the session to the front
 * of its owner's list, and returns the record. The number never decreases, and a deleted session stays deleted.
 *
 * A failure is ignored: the turn is found without being counted, and the next turn counts both. A reported failure
 * would fail the run, which would then be repeated.
 */
export async function writeTurnCount(
  driver: StorageDriver,
  ref: SessionRef,
  { known, turn }: { known: SessionRecord; turn: CountedTurn },
): Promise<SessionRecord> {
  const change = (stored: SessionRecord) =>
    stored.turns >= turn.seq ? null : withTurnCount(stored, turn, clockOf(driver));
  try {
    const written = await changeSession(driver, ref.key, { change, known });
    if (written !== null) {
      await moveInIndex(driver, ref, written);
      return written.after;
    }
  } catch {
    // The failure is ignored: an uncounted turn is still found, and the next turn counts it.
  }
  return { ...known, turns: turn.seq };
}
