import type { ChatMessage } from "../../base/message/message.ts";
import type { Json } from "../storage/json.ts";
import { isRecord } from "../../base/util/is-record.ts";

/**
 * Returns messages as they are stored: with the arguments of tool calls as JSON text. A storage may return the members of
 * an object in another order, and vendors find a prompt in their cache by its bytes.
 */
export function toStoredMessages(messages: readonly ChatMessage[]): Json[] {
  return messages.map(toStoredMessage) as unknown as Json[];
}

/**
 * Returns stored messages with the arguments of tool calls as objects, and any other value as it is. Arguments that were
 * stored as objects, or that are no JSON, stay what they are.
 */
export function fromStoredMessages(value: unknown): unknown {
  return Array.isArray(value) ? value.map(fromStoredMessage) : value;
}

/** Parses JSON text, and returns any other value as it is. */
export function parseStored(value: unknown): unknown {
  if (typeof value !== "string") return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

function toStoredMessage(message: ChatMessage): object {
  if (message.toolCalls === undefined) return message;
  const toolCalls = message.toolCalls.map((call) => ({ ...call, arguments: JSON.stringify(call.arguments) }));
  return { ...message, toolCalls };
}

function fromStoredMessage(message: unknown): unknown {
  if (!isRecord(message) || !Array.isArray(message["toolCalls"])) return message;
  return { ...message, toolCalls: message["toolCalls"].map(fromStoredCall) };
}

function fromStoredCall(call: unknown): unknown {
  return isRecord(call) ? { ...call, arguments: parseStored(call["arguments"]) } : call;
}
