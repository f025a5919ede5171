import type { SessionRecord } from "./session-record.ts";
import type { TurnRecord } from "./turn-record.ts";

/** A stored turn and its number within the session, from 1 upwards. */
export type StoredTurn = TurnRecord & { seq: number };

/**
 * The turns of one session.
 *
 * What makes a turn part of a session is its record and nothing else: one write, so there is no half turn. The counter in
 * the session's record follows the turn. It may lag, when a crash or a failed write came between the two, and it never
 * leads; so it says where to look for the end, not where the end is. That holds whatever the driver offers, so one and the
 * same session may be read and written through drivers that offer different things:
 *
 * - with `append` (`ListedTurns`) the driver numbers the turns, also for several processes, and the newest are listed in
 *   one call;
 * - with the five required methods (`CountedTurns`) turns are read by key from the counter downwards, one look further
 *   upwards finds what the counter missed, and the next turn is stored behind that. With `transaction`, the turn and the
 *   counter are one write.
 *
 * A session's record is written before its first turn: a turn without it would belong to nobody.
 */
export interface TurnLog {
  /** The newest turns, oldest first. */
  newest(count: number, session: SessionRecord): Promise<StoredTurn[]>;
  /** The turns behind a number, oldest first. */
  after(seq: number, limit: number, session: SessionRecord): Promise<StoredTurn[]>;
  /** Stores a turn, then counts it in the session's record, and returns that record. */
  append(turn: TurnRecord, session: SessionRecord): Promise<SessionRecord>;
}
