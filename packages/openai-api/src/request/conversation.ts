import type { ChatMessage, MessageContent } from "@troupe/core";
import { wrongField } from "../wire/api-error.ts";
import { joinContents } from "./content.ts";

/** The result of a tool that the client executed, with the id of the tool call. */
export type ToolOutput = { readonly callId: string; readonly output: MessageContent; readonly param: string };

/** An item of the conversation, in the order in which the client sent it. */
export type SentItem =
  | { readonly type: "instructions"; readonly text: string }
  | { readonly type: "message"; readonly message: ChatMessage }
  | { readonly type: "output"; readonly output: ToolOutput };

/** The conversation of a request: the user's input, the messages before it, and the results of the client's tools. */
export type Conversation = {
  readonly instructions: string | undefined;
  /** The user's input: the messages after the assistant's last message. Undefined if there are none. */
  readonly input: MessageContent | undefined;
  readonly history: readonly ChatMessage[];
  /** The tool results at the end of the conversation, with which a waiting run continues. */
  readonly outputs: readonly ToolOutput[];
  /** The number of the user's messages before the input. */
  readonly userMessages: number;
};

/** Divides the messages of a client into instructions, the user's input, the history before it, and tool results. */
export function toConversation(items: readonly SentItem[], param: string): Conversation {
  const texts = items.flatMap((item) => (item.type === "instructions" ? [item.text] : []));
  const said = items.filter((item) => item.type !== "instructions");
  const end = said.findLastIndex((item) => item.type !== "message" || item.message.role !== "user") + 1;
  const history = said.slice(0, end).map(toMessage);
  const input = said.slice(end).map((item) => (item.type === "message" ? (item.message.content ?? "") : ""));
  const firstOutput = said.findLastIndex((item) => item.type !== "output") + 1;
  const outputs = said.slice(firstOutput).flatMap((item) => (item.type === "output" ? [item.output] : []));
  if (input.length === 0 && outputs.length === 0) throw wrongField(param, "must end with a message of the user.");
  const joined = input.length === 0 ? undefined : joinContents(input);
  if (typeof joined === "string" && joined.trim() === "")
    throw wrongField(param, "must end with a text that is not blank.");
  return {
    instructions: texts.length === 0 ? undefined : texts.join("\n\n"),
    input: joined,
    history: pairCalls(history),
    outputs,
    userMessages: countTurns(history),
  };
}

function toMessage(item: Exclude<SentItem, { type: "instructions" }>): ChatMessage {
  if (item.type === "message") return item.message;
  return { role: "tool", content: item.output.output, toolCallId: item.output.callId };
}

/** Omits tool calls without a result, and results without a call, because every vendor rejects them. */
function pairCalls(history: readonly ChatMessage[]): ChatMessage[] {
  const results = new Set(history.flatMap(({ role, toolCallId }) => (role === "tool" ? [toolCallId] : [])));
  const calls = new Set<unknown>();
  return history.flatMap((message): ChatMessage[] => {
    if (message.role === "tool") return calls.has(message.toolCallId) ? [message] : [];
    if (message.toolCalls === undefined) return [message];
    const { toolCalls, ...rest } = message;
    const paired = toolCalls.filter(({ id }) => results.has(id));
    for (const { id } of paired) calls.add(id);
    if (paired.length > 0) return [{ ...rest, toolCalls: paired }];
    return rest.content === null || rest.content === "" ? [] : [rest];
  });
}

/** Returns the number of turns in a history. Consecutive messages of the user count as one turn. */
function countTurns(history: readonly ChatMessage[]): number {
  return history.filter(({ role }, index) => role === "user" && history[index - 1]?.role !== "user").length;
}
