import { dataPartsOf } from "./turn-part.ts";
import type { SessionRecord } from "./session-record.ts";
import type { TurnLog } from "./turn-log-type.ts";
import type { StoredTurn } from "./turn-record.ts";

/** A page of a session's turns, oldest first. `next` is the cursor of the next page; absent on the last page. */
export type TurnPage = { turns: StoredTurn[]; next?: number };

/** Adds a turn to a page. If it returns false, the page ends before this turn, unless the page would be empty. */
export type TurnCollector = (turn: StoredTurn) => boolean | Promise<boolean>;

/** The part of a session's turns that a page contains. */
export type TurnRange = { after: number; limit: number; take?: TurnCollector | undefined };

/** The number of data characters in one read above which the following turns are read one by one. */
const maxCharacters = 8_388_608;

/** Reads a page of turns. With `take` they are read in small groups, so that few are in memory at a time. */
export async function readTurnPage(log: TurnLog, session: SessionRecord, range: TurnRange): Promise<TurnPage> {
  const { after, limit, take } = range;
  if (take !== undefined) return await readWhileTaken(log, session, { after, limit, take });
  const found = await log.after(after, limit + 1, session);
  const turns = found.slice(0, limit);
  const last = turns.at(-1);
  return found.length > limit && last !== undefined ? { turns, next: last.seq } : { turns };
}

async function readWhileTaken(
  log: TurnLog,
  session: SessionRecord,
  { after, limit, take }: Required<TurnRange> & { take: TurnCollector },
): Promise<TurnPage> {
  const turns: StoredTurn[] = [];
  let last = after;
  for (let count = 1; ;) {
    const found = await log.after(last, count, session);
    for (const turn of found) {
      const isTaken = turns.length < limit && (await take(turn));
      if (!isTaken && turns.length > 0) return { turns, next: last };
      turns.push(turn);
      last = turn.seq;
    }
    if (found.length < count) return { turns };
    const isLarge = found.reduce((sum, turn) => sum + dataLength(turn), 0) > maxCharacters;
    count = isLarge ? 1 : Math.min(count * 2, limit + 1 - turns.length);
  }
}

/** Returns the length of the data in a turn, without data that is stored in pieces, which was not read. */
function dataLength(turn: StoredTurn): number {
  return dataPartsOf(turn).reduce((sum, { data }) => sum + (data?.length ?? 0), 0);
}

/** The number of turns in the first read of a search. Each further read doubles it, up to the maximum. */
const searched = { first: 4, most: 128 };

/** Returns the turn of a run, searched from the newest turn back; undefined if the session has no such turn. */
export async function findTurnOf(log: TurnLog, session: SessionRecord, runId: string): Promise<StoredTurn | undefined> {
  let before: number | undefined;
  for (let count = searched.first; ; count = Math.min(2 * count, searched.most)) {
    const turns = await log.newest(count, session, before);
    const found = turns.find((turn) => turn.runId === runId);
    if (found !== undefined || turns.length < count) return found;
    before = turns[0]?.seq;
  }
}
