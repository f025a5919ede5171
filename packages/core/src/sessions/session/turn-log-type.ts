import type { SessionRecord } from "./session-record.ts";
import type { StoredTurn, TurnRecord } from "./turn-record.ts";

/**
 * Log of the turns of one session: reads them and appends new turns, over any storage driver.
 *
 * A turn is part of a session through its record alone: a single write, so there is no partial turn. The counter in the
 * session's record is written after the turn. A crash or a failed write between the two leaves it too low, but it is
 * never too high. The search for the last turn starts at the counter. This holds for all drivers, so one session may be
 * used through drivers that offer different methods:
 *
 * - With `append` (`AppendingTurnLog`) the driver numbers the turns, safely for several processes, and one call lists
 *   the newest.
 * - With the five required methods (`KeyedTurnLog`) turns are read by key from the counter downwards. One read upwards
 *   finds the turns that the counter missed, and the next turn is stored after those. With `transaction` and without
 *   `compareAndSet`, the turn and the counter are one write.
 *
 * A session's record is written before its first turn, because otherwise the turn would have no owner.
 */
export interface TurnLog {
  /** Returns the newest turns, oldest first; with `before`, only turns with lower numbers. */
  newest(count: number, session: SessionRecord, before?: number): Promise<StoredTurn[]>;
  /** Returns up to `limit` turns after a number, oldest first. */
  after(seq: number, limit: number, session: SessionRecord): Promise<StoredTurn[]>;
  /** Returns the number that the next turn gets, unless another process stores a turn first. */
  next(session: SessionRecord): Promise<number>;
  /** Stores a turn, then counts it in the session's record, and returns that record. */
  append(turn: TurnRecord, session: SessionRecord): Promise<SessionRecord>;
}
