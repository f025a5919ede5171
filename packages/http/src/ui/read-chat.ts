import { TroupeError } from "@troupe/core";
import { checkFieldNames, checkSessionId } from "@troupe/core/adapter";
import type { Body } from "../request/read-body.ts";

/** A part of a message of `useChat`, with unchecked fields. */
export type UiPart = { readonly type: string; readonly [field: string]: unknown };

/** A message of `useChat`, as its client sends it back. */
export type SentMessage = {
  readonly id: string | undefined;
  readonly role: "user" | "assistant";
  readonly parts: readonly UiPart[];
};

/** A request of `useChat`. */
export type Chat = {
  readonly chatId: string;
  /** True if the answer to the last message is to be made anew. */
  readonly isRegenerated: boolean;
  /** True if the last message stands for an earlier one. */
  readonly isEdited: boolean;
  readonly messageId: string | undefined;
  /** The messages before the last one, undefined where the client sends no others. */
  readonly before: readonly SentMessage[] | undefined;
  readonly last: SentMessage;
  readonly userId: unknown;
  readonly apiKey: unknown;
};

const fieldNames = ["id", "messages", "message", "trigger", "messageId", "userId", "apiKey"];
const triggers: readonly unknown[] = ["submit-message", "regenerate-message"];

/** Reads the body of a request of `useChat`: with all messages, as it sends them by itself, or with the last one alone. */
export function readChat(body: Body | undefined): Chat {
  if (body === undefined)
    throw invalid('The body must be a request of useChat, such as {"id": "c1", "messages": […]}.');
  checkFieldNames(Object.keys(body), fieldNames);
  const { id, trigger = "submit-message", messageId, userId, apiKey } = body;
  if (!triggers.includes(trigger)) throw invalid('trigger must be "submit-message" or "regenerate-message".');
  if (messageId !== undefined && typeof messageId !== "string") throw invalid("messageId must be a string.");
  if (typeof id !== "string") throw invalid("id must be the id of the chat, a string.");
  const { before, last } = readMessages(body);
  const isRegenerated = trigger === "regenerate-message";
  const isEdited = !isRegenerated && messageId !== undefined && last.role === "user";
  return { chatId: checkSessionId(id), isRegenerated, isEdited, messageId, before, last, userId, apiKey };
}

function readMessages({ messages, message }: Body): Pick<Chat, "before" | "last"> {
  if ((messages === undefined) === (message === undefined))
    throw invalid("The body must have either messages, an array, or message, the last one alone.");
  if (messages === undefined) return { before: undefined, last: readMessage(message, "message") };
  if (!Array.isArray(messages)) throw invalid("messages must be an array.");
  const read = messages.map((each, index) => readMessage(each, `messages[${index}]`));
  const last = read.pop();
  if (last === undefined) throw invalid("messages must have a message.");
  return { before: read, last };
}

function readMessage(value: unknown, place: string): SentMessage {
  const { id, role, parts } = (value ?? {}) as Record<string, unknown>;
  // Who may send one could change what the agent is told to do.
  if (role !== "user" && role !== "assistant") throw invalid(`${place}.role must be "user" or "assistant".`);
  if (!Array.isArray(parts) || !parts.every(isPart))
    throw invalid(`${place}.parts must be an array of parts with a type.`);
  return { id: typeof id === "string" ? id : undefined, role, parts };
}

function isPart(part: unknown): part is UiPart {
  return typeof part === "object" && part !== null && typeof (part as { type?: unknown }).type === "string";
}

function invalid(message: string): TroupeError {
  return new TroupeError("invalid_request", message);
}
