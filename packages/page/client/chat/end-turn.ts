import { ApiError } from "@troupe-internal/client";
import type { Failure } from "@troupe-internal/client";
import type { StoredTurnView } from "./stored-turn.ts";
import { isUnderWay } from "./turn.ts";
import type { Turn } from "./turn.ts";
import { strings } from "../strings/strings.ts";

/** The known facts about the end of a turn's run. */
export type TurnEnd = {
  /** The stored turn: `null` if the turn was not stored, absent if that is unknown. */
  readonly stored?: StoredTurnView | null | undefined;
  /** The failure of the request for the run or for its events. */
  readonly error?: Error | undefined;
};

/**
 * Returns a turn whose run is over. Takes the question from the stored turn, because the browser may know only part of
 * it. Also takes the answer if its events could not be read.
 */
export function endTurn(turn: Turn, { stored, error }: TurnEnd): Turn {
  const { isBroken: _, ...reached } = turn;
  if (stored && error !== undefined) return { ...stored, key: turn.key };
  const ended: Turn = isUnderWay(turn)
    ? { ...reached, status: error === undefined ? "interrupted" : "failed" }
    : reached;
  const failed: Turn = error === undefined ? ended : { ...ended, failure: toFailure(error, turn) };
  if (stored) return { ...failed, seq: stored.seq, question: stored.question };
  return stored === null ? { ...failed, isUnstored: true } : failed;
}

function toFailure(error: Error, { runId }: Turn): Failure {
  if (!(error instanceof ApiError)) return { code: "unknown", message: error.message };
  const { code, message, vendor, status } = error;
  if (runId !== undefined && (status === 404 || status === 410))
    return { code, message: strings.conversation.goneAnswer };
  return { code, message, ...(vendor !== undefined && { vendor }) };
}
