import type { ChatMessage } from "../../base/message/message.ts";
import type { ToolCall, ToolCallResult } from "../../base/message/tool-call.ts";
import { repairHistory } from "./repair-history.ts";

/** The unfinished step of a run that has ended: the model's text and calls, and the results so far. */
export type UnfinishedStep = { text: string; toolCalls: readonly ToolCall[]; results: readonly ToolCallResult[] };

/**
 * Returns the messages to store for a failed or cancelled run, without its input. Every call has a result; the result
 * of an unfinished call is `interrupted`. Returns `null` if no tool was called: such a run stores nothing in its
 * session.
 */
export function interruptedTurn(messages: readonly ChatMessage[], step?: UnfinishedStep): ChatMessage[] | null {
  const all = step === undefined ? messages : [...messages, ...stepMessages(step)];
  // A user message is put before the messages and removed again, because a valid history begins with a user message.
  const [, ...closed] = repairHistory([{ role: "user", content: "input" }, ...all]);
  return closed.some((message) => message.toolCalls !== undefined) ? closed : null;
}

function stepMessages({ text, toolCalls, results }: UnfinishedStep): ChatMessage[] {
  return [
    { role: "assistant", content: text || null, toolCalls: [...toolCalls] },
    ...results.map(({ toolCallId, result }): ChatMessage => ({ role: "tool", toolCallId, content: result })),
  ];
}
