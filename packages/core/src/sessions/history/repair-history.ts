import { isBlankContent } from "../../base/message/content.ts";
import type { ChatMessage } from "../../base/message/message.ts";
import type { ToolCall } from "../../base/message/tool-call.ts";
import { CallIds } from "./call-ids.ts";
import { isRecord } from "../../base/util/is-record.ts";

/** Result of a tool call whose outcome is unknown. */
const interruptedResult = "interrupted";

/** Content that replaces an empty user message, because vendors reject empty messages. */
const nothingSaid = "(nothing was said)";

/**
 * Turns any messages into a history that every vendor accepts. A valid history is returned as the same array.
 *
 * - System messages come first, then a user message. Assistant messages before it, and later system messages, are
 *   dropped.
 * - Every call is followed by exactly one result, in the order of the calls: a missing result becomes `interrupted`, a
 *   result without its call is dropped.
 * - No two calls share an id: a duplicate within one message is dropped, a later duplicate gets a new id. A call
 *   without a name is dropped.
 * - An assistant message without text and calls is dropped.
 */
export function repairHistory(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  const ids = new CallIds();
  const repaired: ChatMessage[] = [];
  let hasUserSpoken = false;
  for (const [index, message] of messages.entries()) {
    if (message.role === "user") {
      hasUserSpoken = true;
      repaired.push(repairUser(message));
    } else if (message.role === "assistant" && hasUserSpoken) {
      repaired.push(...repairStep(message, resultsAfter(messages, index), ids));
    } else if (message.role === "system" && !hasUserSpoken && !isBlankContent(message.content)) {
      repaired.push(without(message, "toolCalls", "toolCallId"));
    }
  }
  return isSame(messages, repaired) ? messages : repaired;
}

function isSame(messages: readonly ChatMessage[], repaired: readonly ChatMessage[]): boolean {
  return messages.length === repaired.length && messages.every((message, index) => message === repaired[index]);
}

function repairUser(message: ChatMessage): ChatMessage {
  const plain = without(message, "toolCalls", "toolCallId");
  return isBlankContent(plain.content) ? { ...plain, content: nothingSaid } : plain;
}

/** Repairs an assistant message, together with the results of its calls. */
function repairStep(message: ChatMessage, results: ReadonlyMap<string, ChatMessage>, ids: CallIds): ChatMessage[] {
  const asked = distinctCalls(message.toolCalls ?? []);
  if (asked.length === 0) return isBlankContent(message.content) ? [] : [without(message, "toolCalls", "toolCallId")];
  const calls = asked.map((call) => repairCall(call, ids));
  const repairedResults = asked.map(({ id }, index) => repairResult(results.get(id), calls[index]?.id ?? id));
  return [withCalls(without(message, "toolCallId"), calls), ...repairedResults];
}

/** Keeps the first tool call of each id, and drops calls without a name. */
function distinctCalls(calls: readonly ToolCall[]): ToolCall[] {
  const known = new Set<string>();
  return calls.filter(({ id, name }) => name !== "" && !known.has(id) && known.add(id));
}

function repairCall(call: ToolCall, ids: CallIds): ToolCall {
  const id = ids.take(call.id);
  if (id === call.id && isRecord(call.arguments)) return call;
  return { ...call, id, arguments: isRecord(call.arguments) ? call.arguments : {} };
}

function withCalls(message: ChatMessage, calls: ToolCall[]): ChatMessage {
  const earlier = message.toolCalls ?? [];
  const isSound = calls.length === earlier.length && calls.every((call, index) => call === earlier[index]);
  return isSound ? message : { ...message, toolCalls: calls };
}

/** Returns the first result of each tool call of an assistant message, up to the next user or assistant message. */
function resultsAfter(messages: readonly ChatMessage[], index: number): Map<string, ChatMessage> {
  const results = new Map<string, ChatMessage>();
  for (let next = index + 1; next < messages.length; next++) {
    const message = messages[next];
    if (message === undefined || message.role === "user" || message.role === "assistant") break;
    const id = message.role === "tool" ? message.toolCallId : undefined;
    if (id !== undefined && !results.has(id)) results.set(id, message);
  }
  return results;
}

function repairResult(result: ChatMessage | undefined, toolCallId: string): ChatMessage {
  if (result === undefined) return { role: "tool", toolCallId, content: interruptedResult };
  const plain = without(result, "toolCalls");
  if (plain.toolCallId === toolCallId && plain.content !== null) return plain;
  return { ...plain, toolCallId, content: plain.content ?? "" };
}

/** Removes fields that do not belong to the role of the message. */
function without(message: ChatMessage, ...fields: ("toolCalls" | "toolCallId")[]): ChatMessage {
  if (!fields.some((field) => field in message)) return message;
  const rest = { ...message };
  for (const field of fields) delete rest[field];
  return rest;
}
