import type { Evidence, Invariant } from "../evidence.ts";
import { groupBy } from "../group-by.ts";
import { answerIn, fromStored, historyOf, turnsIn } from "../history.ts";
import type { HistoryTurn } from "../history.ts";
import { acknowledgedOperations, TurnIndex } from "../joined-operations.ts";
import { NonceOwners } from "../nonce-owners.ts";
import { sentHistory } from "../sent-history.ts";
import { storedTurns } from "../stored-turns.ts";
import type { StoredTurn } from "../stored-turns.ts";

/** I3: turns of one session do not run into each other. */
export const contiguousTurns: Invariant = {
  promise: "Turns of one session are contiguous: user, then assistant and tools, then assistant; never interleaved.",
  needs: ["operations", "exchanges", "storage"],
  *breaches(evidence: Evidence) {
    const { turns } = storedTurns(evidence.storage);
    for (const { key, messages } of turns) {
      if (messages.some(({ role }) => role === "user")) yield `In the stored turn ${key} the user speaks twice.`;
    }
    yield* openEnds(evidence, turns);
    yield* sentBreaches(evidence, turns);
  },
};

function* openEnds({ operations }: Evidence, turns: readonly StoredTurn[]): Generator<string> {
  const index = new TurnIndex(turns);
  // A model may say nothing: then there is no answer to store, and the client has seen none.
  const answered = acknowledgedOperations(operations).filter(({ outcome }) => outcome?.text !== "");
  for (const { key, status, messages } of answered.flatMap((one) => index.of(one))) {
    const isOpen = status === "completed" && answerIn(messages.map(fromStored)) === undefined;
    if (isOpen) yield `The stored turn ${key} was acknowledged and does not end with an answer.`;
  }
}

function* sentBreaches({ operations, exchanges }: Evidence, turns: readonly StoredTurn[]): Generator<string> {
  const owners = new NonceOwners(operations);
  // What was said before an answer; an answer that was given twice has several.
  const said = groupBy(turns, (turn) => `${turn.session} ${answerIn(historyOf(turn))}`);
  for (const [index, exchange] of exchanges.entries()) {
    const history = sentHistory(exchange);
    const session = owners.sessionOf(JSON.stringify(exchange.request.body) ?? "");
    if (history === undefined || session === undefined || exchange.refusal !== undefined) continue;
    // The last turn is the one that is being answered.
    for (const turn of turnsIn(history).slice(0, -1)) {
      const breach = judge(turn, said.get(`${session} ${answerIn(turn.rest)}`) ?? []);
      if (breach !== undefined) yield `In request ${index + 1} to the vendor, of session ${session}, ${breach}`;
    }
  }
}

function judge({ user, rest }: HistoryTurn, answered: readonly StoredTurn[]): string | undefined {
  if (rest.length === 0) return `the user speaks twice in a row: ${user.text}`;
  const answer = answerIn(rest);
  const isTheirs = answered.length === 0 || answered.some(({ input }) => input === user.text);
  if (answer === undefined || isTheirs) return undefined;
  return `another turn's answer follows on ${user.text}: ${answer}`;
}
