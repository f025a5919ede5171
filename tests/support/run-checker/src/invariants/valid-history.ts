import type { Evidence, Invariant } from "../evidence.ts";
import { historyOf } from "../history.ts";
import type { HistoryMessage } from "../history.ts";
import { sentHistory } from "../sent-history.ts";
import { storedTurns } from "../stored-turns.ts";

const roles = ["system", "user", "assistant", "tool"];

/** I2: no vendor refuses a history. */
export const validHistory: Invariant = {
  promise:
    "History is vendor-valid, as stored and as sent: each call has its one result, and no two user messages are merged.",
  needs: ["operations", "exchanges", "storage"],
  *violations(evidence: Evidence) {
    for (const turn of storedTurns(evidence.storage).turns) {
      for (const fault of historyFaults(historyOf(turn))) yield `In the stored turn ${turn.key} ${fault}.`;
    }
    yield* sentFaults(evidence);
  },
};

function* sentFaults({ exchanges, operations }: Evidence): Generator<string> {
  const inputs = new Set(operations.flatMap((one) => (one.type === "invoke" ? one.input : [])));
  for (const [index, exchange] of exchanges.entries()) {
    const place = `request ${index + 1} to the vendor`;
    const history = sentHistory(exchange);
    if (exchange.refusal !== undefined) yield `The vendor refused ${place}: ${exchange.refusal.message}`;
    else if (history !== undefined) {
      for (const fault of historyFaults(history)) yield `In ${place} ${fault}.`;
      yield* mergedInputs(history, inputs, place);
    }
  }
}

function* mergedInputs(
  history: readonly HistoryMessage[],
  inputs: ReadonlySet<string>,
  place: string,
): Generator<string> {
  for (const { role, text } of history) {
    if (role !== "user" || inputs.has(text)) continue;
    const found = [...inputs].filter((input) => text.includes(input));
    // An input that is part of a longer one does not count by itself.
    const apart = found.filter((input) => !found.some((other) => other !== input && other.includes(input)));
    if (apart.length > 1) yield `In ${place} ${apart.length} user messages are merged: ${apart.join(" | ")}`;
  }
}

/** Finds violations of the rules that all vendors have for roles, calls and results. */
export function* historyFaults(history: readonly HistoryMessage[]): Generator<string> {
  let open = new Set<string>();
  for (const [index, message] of history.entries()) {
    yield* roleFaults(
      message,
      history.slice(0, index).findLast(({ role }) => role !== "system"),
    );
    if (message.role === "tool") {
      if (!open.delete(message.answers ?? "")) yield `the result for ${message.answers} has no call right before it`;
      continue;
    }
    yield* unanswered(open, `the next message, of the ${message.role}`);
    open = new Set(message.calls);
    if (open.size < message.calls.length) yield `two calls of one message have the id ${repeated(message.calls)}`;
  }
  yield* unanswered(open, "the end");
}

function* roleFaults({ role }: HistoryMessage, before: HistoryMessage | undefined): Generator<string> {
  if (!roles.includes(role)) yield `a message has the unknown role ${role}`;
  else if (role === "system" && before !== undefined) yield "instructions come after other messages";
  else if (role === "assistant" && before === undefined) yield "an assistant message comes before any user message";
}

function* unanswered(open: ReadonlySet<string>, where: string): Generator<string> {
  if (open.size > 0) yield `${[...open].join(", ")} has no result before ${where}`;
}

function repeated(ids: readonly string[]): string | undefined {
  return ids.find((id, index) => ids.indexOf(id) !== index);
}
