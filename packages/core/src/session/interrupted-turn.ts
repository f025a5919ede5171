import type { ChatMessage } from "../message/message.ts";
import type { ToolCall, ToolCallResult } from "../message/tool-call.ts";
import { repairHistory } from "./repair-history.ts";

/** The step that a run was in when it ended: what the model said and asked for, and what was done of it. */
export type UnfinishedStep = { text: string; toolCalls: readonly ToolCall[]; results: readonly ToolCallResult[] };

/**
 * The messages of a turn whose run failed or was cancelled, for a record with the status `interrupted`: all that followed
 * the input, every call with its result, an unfinished one with the result `interrupted`. `null` when no tool was called:
 * such a run leaves nothing in its session.
 */
export function interruptedTurn(messages: readonly ChatMessage[], step?: UnfinishedStep): ChatMessage[] | null {
  const all = step === undefined ? messages : [...messages, ...stepMessages(step)];
  // Repaired as part of a whole turn: a history begins with the user.
  const [, ...closed] = repairHistory([{ role: "user", content: "input" }, ...all]);
  return closed.some((message) => message.toolCalls !== undefined) ? closed : null;
}

function stepMessages({ text, toolCalls, results }: UnfinishedStep): ChatMessage[] {
  return [
    { role: "assistant", content: text || null, toolCalls: [...toolCalls] },
    ...results.map(({ toolCallId, result }): ChatMessage => ({ role: "tool", toolCallId, content: result })),
  ];
}
