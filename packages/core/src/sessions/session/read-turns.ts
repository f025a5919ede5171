import type { StorageDriver } from "../storage/storage-driver.ts";
import { PartStore } from "./part-store.ts";
import { readTurnPage } from "./read-turn-page.ts";
import type { TurnPage, TurnRange } from "./read-turn-page.ts";
import type { SessionRef } from "./session-keys.ts";
import type { SessionRecord } from "./session-record.ts";
import { openTurnLog } from "./turn-log.ts";
import { partNotFound, readTurnPart } from "./turn-part.ts";
import type { TurnPart } from "./turn-part.ts";

/** The number of a turn, and the index of a part among its images, audio and files, from 0. */
export type TurnPartPosition = { seq: number; index: number };

/** A session as its readers need it: they take no lease and do not wait for runs. */
export type FoundSession = { ref: SessionRef; session: SessionRecord };

/** Reads a page of a session's turns. Pages with `take` omit data that is stored in pieces. */
export async function readTurns(
  driver: StorageDriver,
  { ref, session }: FoundSession,
  range: TurnRange,
): Promise<TurnPage> {
  const page = await readTurnPage(openTurnLog(driver, ref), session, range);
  if (range.take !== undefined) return page;
  return { ...page, turns: await new PartStore(driver, ref.key).fillTurns(page.turns) };
}

/** Reads an image, audio or file of a turn, piece by piece. Throws `not_found` if the turn or the part is missing. */
export async function readPartOfTurn(
  driver: StorageDriver,
  { ref, session }: FoundSession,
  { seq, index }: TurnPartPosition,
): Promise<TurnPart> {
  const [turn] = await openTurnLog(driver, ref).after(seq - 1, 1, session);
  if (turn?.seq !== seq) throw partNotFound(seq, index);
  const parts = new PartStore(driver, ref.key);
  return readTurnPart(turn, index, (stored) => parts.read(stored));
}
