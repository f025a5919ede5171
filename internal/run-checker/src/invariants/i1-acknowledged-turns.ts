import type { Evidence, Invariant } from "../evidence.ts";
import { answerIn, historyOf } from "../history.ts";
import { acknowledgedOperations, TurnIndex } from "../joined-operations.ts";
import type { JoinedOperation } from "../joined-operations.ts";
import { storedTurns } from "../stored-turns.ts";
import type { StoredTurn } from "../stored-turns.ts";

/** I1: what a client got an answer for is there. */
export const acknowledgedTurns: Invariant = {
  promise: "Every acknowledged turn is in storage, exactly once, after any fault.",
  needs: ["operations", "storage"],
  *breaches({ operations, storage }: Evidence) {
    const index = new TurnIndex(storedTurns(storage).turns);
    for (const operation of acknowledgedOperations(operations)) {
      const breach = judge(operation, index.of(operation));
      if (breach !== undefined) yield `The turn of operation ${operation.id} in session ${operation.session} ${breach}`;
    }
  },
};

function judge({ outcome }: JoinedOperation, [turn, ...others]: readonly StoredTurn[]): string | undefined {
  if (turn === undefined) return "was acknowledged and is not in storage.";
  if (others.length > 0) return `was acknowledged once and is in storage ${others.length + 1} times.`;
  if (turn.status !== "completed") return `was acknowledged and is in storage as ${turn.status}.`;
  const answer = answerIn(historyOf(turn));
  if (outcome?.text === undefined || answer === undefined || answer === outcome.text) return undefined;
  return `is in storage with another answer than the client saw: ${answer.slice(0, 80)}`;
}
