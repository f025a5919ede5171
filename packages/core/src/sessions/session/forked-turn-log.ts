import { storedDataReferenceOf } from "../../base/message/stored-data.ts";
import type { StorageDriver } from "../storage/storage-driver.ts";
import { findSession } from "./create-session.ts";
import { mapTurnParts } from "./part-store.ts";
import { sessionRef } from "./session-keys.ts";
import type { SessionRef } from "./session-keys.ts";
import { sharedPoint } from "./session-record.ts";
import type { ForkPoint, SessionRecord } from "./session-record.ts";
import type { TurnLog } from "./turn-log-type.ts";
import type { StoredTurn, TurnRecord } from "./turn-record.ts";

type OpenLog = (ref: SessionRef) => TurnLog;

/** A `TurnLog` of a fork: its own turns, and the turns that it shares with the session it was made from. */
export class ForkedTurnLog implements TurnLog {
  readonly #own: TurnLog;
  readonly #driver: StorageDriver;
  readonly #ref: SessionRef;
  readonly #open: OpenLog;

  constructor(own: TurnLog, { driver, ref, open }: { driver: StorageDriver; ref: SessionRef; open: OpenLog }) {
    this.#own = own;
    this.#driver = driver;
    this.#ref = ref;
    this.#open = open;
  }

  async newest(count: number, session: SessionRecord, before = Infinity): Promise<StoredTurn[]> {
    const own = await this.#own.newest(count, session, before);
    const from = sharedPoint(session);
    if (from === undefined || own.length >= count) return own;
    const least = Math.min(before, from.seq + 1);
    const shared = await this.#read(from, (log, source) => log.newest(count - own.length, source, least));
    return [...shared, ...own];
  }

  async after(seq: number, limit: number, session: SessionRecord): Promise<StoredTurn[]> {
    const from = sharedPoint(session);
    if (from === undefined || seq >= from.seq) return await this.#own.after(seq, limit, session);
    const found = await this.#read(from, (log, source) => log.after(seq, Math.min(limit, from.seq - seq), source));
    const shared = found.filter((turn) => turn.seq <= from.seq);
    if (shared.length >= limit) return shared;
    return [...shared, ...(await this.#own.after(from.seq, limit - shared.length, session))];
  }

  async next(session: SessionRecord): Promise<number> {
    return await this.#own.next(session);
  }

  async append(turn: TurnRecord, session: SessionRecord): Promise<SessionRecord> {
    return await this.#own.append(turn, session);
  }

  async #read(
    { sessionId }: ForkPoint,
    read: (log: TurnLog, source: SessionRecord) => Promise<StoredTurn[]>,
  ): Promise<StoredTurn[]> {
    const ref = sessionRef(this.#ref.owner, sessionId);
    const source = await findSession(this.#driver, ref);
    if (source === null || source.isDeleted === true) {
      // The caller's record of the fork may be older than the deletion of its source, which gives it another source.
      const current = (await findSession(this.#driver, this.#ref))?.from;
      if (current !== undefined && current.sessionId !== sessionId) return await this.#read(current, read);
      if (source === null) return [];
    }
    // The source's unfinished deletion is ignored, because it preserves the turns of forks: see `keepSharedTurns`.
    const { cut: _, ...whole } = source;
    return (await read(this.#open(ref), whole)).map((turn) => withPlace(turn, ref.key));
  }
}

/**
 * Records, in the parts of a shared turn, the session under which the data of the parts are stored, unless a fork in
 * between has already done so.
 */
function withPlace(turn: StoredTurn, session: string): StoredTurn {
  return mapTurnParts(turn, (part) => {
    const stored = storedDataReferenceOf(part);
    if (stored === undefined || stored.session !== undefined) return part;
    const moved: object = { stored: { ...stored, session } };
    return { ...part, ...moved };
  });
}
