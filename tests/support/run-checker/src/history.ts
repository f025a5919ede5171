import type { ChatMessage } from "@troupe/core";
import { contentText } from "./stored-turns.ts";
import type { StoredTurn } from "./stored-turns.ts";

/** A message of a conversation in the form that the checker compares, from storage or from a request. */
export type HistoryMessage = {
  /** `system`, `user`, `assistant` or `tool`; an unknown role stays unchanged. */
  role: string;
  text: string;
  /** Ids of the calls that an assistant requests. */
  calls: string[];
  /** Id of the call that a result answers. */
  answers?: string;
};

/** A user message and the messages that follow it. */
export type HistoryTurn = { user: HistoryMessage; rest: HistoryMessage[] };

/** Converts a stored message. */
export function fromStored({ role, content, toolCalls = [], toolCallId }: ChatMessage): HistoryMessage {
  const calls = toolCalls.map(({ id }) => id);
  return { role, text: contentText(content), calls, ...(toolCallId !== undefined && { answers: toolCallId }) };
}

/** Returns the messages of a stored turn, from the input on. */
export function historyOf({ input, messages }: StoredTurn): HistoryMessage[] {
  return [{ role: "user", text: input, calls: [] }, ...messages.map(fromStored)];
}

/** Returns the answer that ends a turn, or `undefined` if its last message is not an answer. */
export function answerIn(messages: readonly HistoryMessage[]): string | undefined {
  const last = messages.at(-1);
  return last?.role === "assistant" && last.calls.length === 0 ? last.text : undefined;
}

/** Splits a history before each user message. */
export function turnsIn(history: readonly HistoryMessage[]): HistoryTurn[] {
  const turns: HistoryTurn[] = [];
  for (const message of history) {
    if (message.role === "user") turns.push({ user: message, rest: [] });
    else turns.at(-1)?.rest.push(message);
  }
  return turns;
}
