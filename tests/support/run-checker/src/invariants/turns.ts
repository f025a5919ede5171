import type { Evidence, Invariant } from "../evidence.ts";
import { answerIn, fromStored, historyOf, turnsIn } from "../history.ts";
import type { HistoryTurn } from "../history.ts";
import { acknowledgedOperations, TurnIndex } from "../joined-operations.ts";
import type { JoinedOperation } from "../joined-operations.ts";
import { NonceOwners } from "../nonce.ts";
import { sentHistory } from "../sent-history.ts";
import { sessionOf, storedTurns } from "../stored-turns.ts";
import type { StoredTurn } from "../stored-turns.ts";

/** I1: the turn of every acknowledged operation is stored. */
export const acknowledgedTurns: Invariant = {
  promise: "Every acknowledged turn is in storage, exactly once, after any fault.",
  needs: ["operations", "storage"],
  *violations({ operations, storage }: Evidence) {
    const index = new TurnIndex(storedTurns(storage).turns);
    for (const operation of acknowledgedOperations(operations)) {
      const fault = acknowledgedFault(operation, index.of(operation));
      if (fault !== undefined) yield `The turn of operation ${operation.id} in session ${operation.session} ${fault}`;
    }
  },
};

function acknowledgedFault({ outcome }: JoinedOperation, [turn, ...others]: readonly StoredTurn[]): string | undefined {
  if (turn === undefined) return "was acknowledged and is not in storage.";
  if (others.length > 0) return `was acknowledged once and is in storage ${others.length + 1} times.`;
  if (turn.status !== "completed") return `was acknowledged and is in storage as ${turn.status}.`;
  const answer = answerIn(historyOf(turn));
  if (outcome?.text === undefined || answer === undefined || answer === outcome.text) return undefined;
  return `is in storage with another answer than the client saw: ${answer.slice(0, 80)}`;
}

/** I3: turns of one session do not interleave. */
export const contiguousTurns: Invariant = {
  promise: "Turns of one session are contiguous: user, then assistant and tools, then assistant; never interleaved.",
  needs: ["operations", "exchanges", "storage"],
  *violations(evidence: Evidence) {
    const { turns } = storedTurns(evidence.storage);
    for (const { key, messages } of turns) {
      if (messages.some(({ role }) => role === "user")) yield `The stored turn ${key} has two user messages.`;
    }
    yield* withoutAnswer(evidence, turns);
    yield* interleavedRequests(evidence, turns);
  },
};

function* withoutAnswer({ operations }: Evidence, turns: readonly StoredTurn[]): Generator<string> {
  const index = new TurnIndex(turns);
  // A model may answer with an empty text: then no answer is stored, and the client has received none.
  const answered = acknowledgedOperations(operations).filter(({ outcome }) => outcome?.text !== "");
  for (const { key, status, messages } of answered.flatMap((one) => index.of(one))) {
    const isOpen = status === "completed" && answerIn(messages.map(fromStored)) === undefined;
    if (isOpen) yield `The stored turn ${key} was acknowledged and does not end with an answer.`;
  }
}

function* interleavedRequests({ operations, exchanges }: Evidence, turns: readonly StoredTurn[]): Generator<string> {
  const owners = new NonceOwners(operations);
  // Stored turns by session and answer. An answer that was given twice has several turns.
  const byAnswer = Map.groupBy(turns, (turn) => `${turn.session} ${answerIn(historyOf(turn))}`);
  for (const [index, exchange] of exchanges.entries()) {
    const history = sentHistory(exchange);
    const session = owners.sessionOf(JSON.stringify(exchange.request.body) ?? "");
    if (history === undefined || session === undefined || exchange.refusal !== undefined) continue;
    // The last turn is left out, because it is being answered.
    for (const turn of turnsIn(history).slice(0, -1)) {
      const fault = interleavedFault(turn, byAnswer.get(`${session} ${answerIn(turn.rest)}`) ?? []);
      if (fault !== undefined) yield `Request ${index + 1} to the vendor, of session ${session}, ${fault}`;
    }
  }
}

function interleavedFault({ user, rest }: HistoryTurn, answered: readonly StoredTurn[]): string | undefined {
  if (rest.length === 0) return `has two user messages in a row: ${user.text}`;
  const answer = answerIn(rest);
  const isOwn = answered.length === 0 || answered.some(({ input }) => input === user.text);
  if (answer === undefined || isOwn) return undefined;
  return `has another turn's answer after ${user.text}: ${answer}`;
}

/** I4: a turn that was not acknowledged is stored whole or not at all. */
export const noHalfTurns: Invariant = {
  promise: "An unacknowledged turn is either absent or complete and marked; never half.",
  needs: ["operations", "storage"],
  *violations({ operations, storage }: Evidence) {
    const { turns, unreadable } = storedTurns(storage);
    for (const key of unreadable) yield `The record ${key} is no turn.`;
    const index = new TurnIndex(turns);
    const acknowledged = new Set(acknowledgedOperations(operations).flatMap((operation) => index.of(operation)));
    const others = turns.filter((turn) => !acknowledged.has(turn));
    for (const turn of others) {
      const fault = halfTurnFault(turn);
      if (fault !== undefined) yield `The stored turn ${turn.key} was not acknowledged and ${fault}.`;
    }
    yield* repeatedRuns(others);
    yield* missingTurns(storage);
  },
};

function halfTurnFault(turn: StoredTurn): string | undefined {
  const hasAnswer = answerIn(historyOf(turn)) !== undefined;
  if (turn.status === "completed") return hasAnswer ? undefined : "is marked completed without an answer";
  if (turn.status !== "interrupted") return `has the status ${turn.status}`;
  const hasCall = historyOf(turn).some(({ calls }) => calls.length > 0);
  return hasCall ? undefined : "is marked interrupted though no tool had been called";
}

function* repeatedRuns(turns: readonly StoredTurn[]): Generator<string> {
  for (const [run, group] of Map.groupBy(turns, ({ session, runId }) => `${session} ${runId}`)) {
    if (group.length > 1) yield `The unacknowledged run ${run} is in storage ${group.length} times.`;
  }
}

/** Finds sessions that count more turns than are stored. They may count fewer. */
function* missingTurns({ sessions, turns }: Evidence["storage"]): Generator<string> {
  const last = new Map(turns.map(({ key }) => [sessionOf(key), Number(key.split("/").at(-1))]));
  for (const { key, value } of sessions) {
    const counted = Number((value as { turns?: unknown } | null)?.turns ?? 0);
    const stored = last.get(sessionOf(key)) ?? 0;
    if (counted > stored) yield `The session ${key} counts ${counted} turns, but the last one in storage is ${stored}.`;
  }
}
