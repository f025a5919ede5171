import type { ChatMessage } from "@troupe/core";
import { textOf } from "./stored-turns.ts";
import type { StoredTurn } from "./stored-turns.ts";

/** A message of a conversation as the checker compares it, wherever it was found. */
export type HistoryMessage = {
  /** `system`, `user`, `assistant` or `tool`; any other role is kept as it was written. */
  role: string;
  text: string;
  /** The ids of the calls that an assistant asks for. */
  calls: string[];
  /** The id of the call that a result is for. */
  answers?: string;
};

/** What the user said and what came of it. */
export type HistoryTurn = { user: HistoryMessage; rest: HistoryMessage[] };

/** A message as it stands in storage. */
export function fromStored({ role, content, toolCalls = [], toolCallId }: ChatMessage): HistoryMessage {
  const calls = toolCalls.map(({ id }) => id);
  return { role, text: textOf(content), calls, ...(toolCallId !== undefined && { answers: toolCallId }) };
}

/** A stored turn as one conversation. */
export function historyOf({ input, messages }: StoredTurn): HistoryMessage[] {
  return [{ role: "user", text: input, calls: [] }, ...messages.map(fromStored)];
}

/** The answer that ends a turn; `undefined` while the last word is not an answer. */
export function answerIn(messages: readonly HistoryMessage[]): string | undefined {
  const last = messages.at(-1);
  return last?.role === "assistant" && last.calls.length === 0 ? last.text : undefined;
}

/** Cuts a history in front of each word of the user. */
export function turnsIn(history: readonly HistoryMessage[]): HistoryTurn[] {
  const turns: HistoryTurn[] = [];
  for (const message of history) {
    if (message.role === "user") turns.push({ user: message, rest: [] });
    else turns.at(-1)?.rest.push(message);
  }
  return turns;
}
