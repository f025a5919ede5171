import type { ChatMessage } from "../../base/message/message.ts";
import type { VendorStateTurn } from "../memory/memory-options.ts";
import type { ModelMessage } from "../../model/vendor-state.ts";
import { equalJson } from "../../base/util/equal-json.ts";
import { answersWithState } from "../../sessions/session/turn-record.ts";
import type { StoredTurn } from "../../sessions/session/turn-record.ts";

/**
 * Returns a memory's messages with the vendor state of the given stored turns, oldest first. The state of a turn is
 * added only if all messages of the turn are in their original places, because a memory may have shortened the turn.
 */
export function withStateOf(
  turns: readonly StoredTurn[],
  places: readonly VendorStateTurn[],
  messages: readonly ChatMessage[],
): ModelMessage[] {
  const found: ModelMessage[] = [...messages];
  const inputs = messages.flatMap(({ role }, index) => (role === "user" ? [index] : []));
  const refused = new Set<string>();
  for (const turn of turns.toReversed()) {
    const answers = answersWithState(turn, refused);
    const { fromEnd = 0 } = places.find(({ seq }) => seq === turn.seq) ?? {};
    const input = inputs.at(-fromEnd);
    if (input === undefined) continue;
    const isWhole = turn.messages.every((message, index) => equalJson(message, messages[input + 1 + index]));
    if (isWhole) found.splice(input + 1, answers.length, ...answers);
  }
  return found;
}
