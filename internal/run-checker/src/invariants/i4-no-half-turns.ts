import type { Evidence, Invariant } from "../evidence.ts";
import { groupBy } from "../group-by.ts";
import { answerIn, historyOf } from "../history.ts";
import { acknowledgedOperations, TurnIndex } from "../joined-operations.ts";
import { sessionOf, storedTurns } from "../stored-turns.ts";
import type { StoredTurn } from "../stored-turns.ts";
import type { StorageDump } from "../storage-dump.ts";

/** I4: a turn that nobody was told of is there whole, or not at all. */
export const noHalfTurns: Invariant = {
  promise: "An unacknowledged turn is either absent or complete and marked; never half.",
  needs: ["operations", "storage"],
  *breaches({ operations, storage }: Evidence) {
    const { turns, unreadable } = storedTurns(storage);
    for (const key of unreadable) yield `The record ${key} is no turn.`;
    const index = new TurnIndex(turns);
    const acknowledged = new Set(acknowledgedOperations(operations).flatMap((operation) => index.of(operation)));
    const others = turns.filter((turn) => !acknowledged.has(turn));
    for (const turn of others) {
      const breach = judge(turn);
      if (breach !== undefined) yield `The stored turn ${turn.key} was not acknowledged and ${breach}.`;
    }
    yield* repeatedRuns(others);
    yield* countedButAbsent(storage);
  },
};

function judge(turn: StoredTurn): string | undefined {
  const hasAnswer = answerIn(historyOf(turn)) !== undefined;
  if (turn.status === "completed") return hasAnswer ? undefined : "is marked completed without an answer";
  if (turn.status !== "interrupted") return `has the mark ${turn.status}`;
  const hasCall = historyOf(turn).some(({ calls }) => calls.length > 0);
  return hasCall ? undefined : "is marked interrupted though no tool had been called";
}

function* repeatedRuns(turns: readonly StoredTurn[]): Generator<string> {
  for (const [run, group] of groupBy(turns, ({ session, runId }) => `${session} ${runId}`)) {
    if (group.length > 1) yield `The unacknowledged run ${run} is in storage ${group.length} times.`;
  }
}

/** A session may know of fewer turns than there are, never of more. */
function* countedButAbsent({ sessions, turns }: StorageDump): Generator<string> {
  const last = new Map(turns.map(({ key }) => [sessionOf(key), Number(key.split("/").at(-1))]));
  for (const { key, value } of sessions) {
    const counted = Number((value as { turns?: unknown } | null)?.turns ?? 0);
    const stored = last.get(sessionOf(key)) ?? 0;
    if (counted > stored) yield `The session ${key} counts ${counted} turns, but the last one in storage is ${stored}.`;
  }
}
