import type { Evidence, Invariant } from "../evidence.ts";
import { historyOf } from "../history.ts";
import type { HistoryMessage } from "../history.ts";
import { pairingBreaches } from "../pairing.ts";
import { sentHistory } from "../sent-history.ts";
import { storedTurns } from "../stored-turns.ts";

/** I2: no history is one that a vendor refuses. */
export const validHistory: Invariant = {
  promise:
    "History is vendor-valid, as stored and as sent: each call has its one result, and no two words of the user are merged.",
  needs: ["operations", "exchanges", "storage"],
  *breaches(evidence: Evidence) {
    for (const turn of storedTurns(evidence.storage).turns) {
      for (const breach of pairingBreaches(historyOf(turn))) yield `In the stored turn ${turn.key} ${breach}.`;
    }
    yield* sentBreaches(evidence);
  },
};

function* sentBreaches({ exchanges, operations }: Evidence): Generator<string> {
  const inputs = new Set(operations.flatMap((one) => (one.type === "invoke" ? one.input : [])));
  for (const [index, exchange] of exchanges.entries()) {
    const place = `request ${index + 1} to the vendor`;
    const history = sentHistory(exchange);
    if (exchange.refusal !== undefined) yield `The vendor refused ${place}: ${exchange.refusal.message}`;
    else if (history !== undefined) {
      for (const breach of pairingBreaches(history)) yield `In ${place} ${breach}.`;
      yield* mergedWords(history, inputs, place);
    }
  }
}

function* mergedWords(
  history: readonly HistoryMessage[],
  inputs: ReadonlySet<string>,
  place: string,
): Generator<string> {
  for (const { role, text } of history) {
    if (role !== "user" || inputs.has(text)) continue;
    const said = [...inputs].filter((input) => text.includes(input));
    // What is part of something longer that was said was not said by itself.
    const apart = said.filter((input) => !said.some((other) => other !== input && other.includes(input)));
    if (apart.length > 1) yield `In ${place} ${apart.length} words of the user are merged: ${apart.join(" | ")}`;
  }
}
