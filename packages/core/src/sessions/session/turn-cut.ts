import { isCount, readRecord, recordVersion } from "../storage/stored-record.ts";
import type { RecordKey } from "../storage/stored-record.ts";
import { isRecord } from "../../base/util/is-record.ts";
import { readTurnRecord } from "./turn-record.ts";
import type { StoredTurn } from "./turn-record.ts";

/** Deleted turns of a session: the numbers from `from` to `through`, inclusive. */
export type TurnCut = { from: number; through: number };

/** Stored record that replaces a deleted turn. It prevents the number from being reused. */
export type TurnTombstone = { v: 1; cut: TurnCut };

/** A record of the namespace `turns`: a turn with its number, or the cut that has deleted the turn. */
export type TurnOrCut = { seq: number; turn: StoredTurn | undefined; cut: TurnCut | undefined };

/** Makes the record that replaces a deleted turn. */
export function tombstoneOf({ from, through }: TurnCut): TurnTombstone {
  return { v: recordVersion, cut: { from, through } };
}

/** Reads a record of the namespace `turns`. Throws `storage_corrupt` if it is damaged. */
export function readTurnOrCut(value: unknown, seq: number, at: RecordKey): TurnOrCut {
  const isCut = isRecord(value) && value["cut"] !== undefined;
  if (isCut) return { seq, turn: undefined, cut: readRecord(value, at, isTombstone).cut };
  return { seq, turn: { ...readTurnRecord(value, at), seq }, cut: undefined };
}

/** Returns true if a value has the shape of a cut. */
export function isTurnCut(value: unknown): value is TurnCut {
  return isRecord(value) && isCount(value["from"]) && isCount(value["through"]);
}

/**
 * Returns the turns that are not deleted. A cut applies to all its numbers, including turns whose records still exist
 * because the deletion is in progress: a reader sees all of them or none.
 */
export function liveTurns(found: readonly TurnOrCut[], pending: TurnCut | undefined): StoredTurn[] {
  const cuts = [...new Set(found.flatMap(({ cut }) => cut ?? [])), ...(pending === undefined ? [] : [pending])];
  return found.flatMap(({ turn }) => (turn === undefined || cuts.some((cut) => isWithin(turn.seq, cut)) ? [] : [turn]));
}

function isWithin(seq: number, { from, through }: TurnCut): boolean {
  return seq >= from && seq <= through;
}

function isTombstone(value: unknown): value is TurnTombstone {
  return isRecord(value) && value["v"] === recordVersion && isTurnCut(value["cut"]);
}
