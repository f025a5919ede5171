import type { ChatMessage } from "../../base/message/message.ts";
import type { Json } from "../storage/json.ts";
import { isRecord } from "../../base/util/is-record.ts";

/**
 * Returns messages in their stored form, with the arguments of tool calls as JSON text. A storage may reorder the
 * members of an object, and vendors match cached prompts byte by byte.
 */
export function toStoredMessages(messages: readonly ChatMessage[]): Json[] {
  return messages.map(toStoredMessage) as unknown as Json[];
}

/**
 * Returns stored messages with the arguments of tool calls as objects, and any other value unchanged. Arguments that
 * were stored as objects, or that are not JSON, stay unchanged.
 */
export function fromStoredMessages(value: unknown): unknown {
  return Array.isArray(value) ? value.map(fromStoredMessage) : value;
}

/** Parses JSON text, and returns any other value unchanged. */
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
