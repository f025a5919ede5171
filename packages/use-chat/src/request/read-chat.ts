import { hash } from "node:crypto";
import { TroupeError } from "@troupe/core";
import { checkFieldNames, checkSessionId } from "@troupe/core/transport";

type Body = Readonly<Record<string, unknown>>;

/** A part of a `useChat` message, with unchecked fields. */
export type UiPart = { readonly type: string; readonly [field: string]: unknown };

/** A message of `useChat` as its client sends it. */
export type SentMessage = {
  readonly id: string | undefined;
  readonly role: "user" | "assistant";
  readonly parts: readonly UiPart[];
};

/** A request of `useChat`. */
export type Chat = {
  readonly chatId: string;
  /** True if the last answer is to be regenerated. */
  readonly isRegenerated: boolean;
  /** True if the last message replaces an earlier message. */
  readonly isEdited: boolean;
  readonly messageId: string | undefined;
  /** The messages before the last message. Undefined if the client sends only the last message. */
  readonly before: readonly SentMessage[] | undefined;
  readonly last: SentMessage;
  readonly userId: unknown;
  readonly apiKey: unknown;
  /** A hash of the request without its API key, to recognise a repeated request. */
  readonly said: string;
};

const fieldNames = ["id", "messages", "message", "trigger", "messageId", "userId", "apiKey"];
const maxParts = 100;
const triggers: readonly unknown[] = ["submit-message", "regenerate-message"];

/** Reads the body of a `useChat` request, with all messages (the default of `useChat`) or only the last message. */
export function readChat(body: Body | undefined): Chat {
  if (body === undefined)
    throw invalid('The body must be a request of useChat, such as {"id": "c1", "messages": […]}.');
  checkFieldNames(Object.keys(body), fieldNames);
  const { userId, apiKey } = body;
  const { chatId, isRegenerated, messageId } = readPlace(body);
  const { before, last } = readMessages(body, isRegenerated);
  if (isRegenerated && last.role !== "user")
    throw invalid("Only an answer to a message of the user can be regenerated.");
  const isEdited = !isRegenerated && messageId !== undefined && last.role === "user";
  return { chatId, isRegenerated, isEdited, messageId, before, last, userId, apiKey, said: hashOf(body) };
}

/** Returns a hash of a request's body without its API key. */
function hashOf(body: Body): string {
  return hash("sha256", JSON.stringify({ ...body, apiKey: undefined }));
}

/** Reads the chat and the message that a request belongs to. */
function readPlace({ id, trigger = "submit-message", messageId }: Body) {
  if (!triggers.includes(trigger)) throw invalid('trigger must be "submit-message" or "regenerate-message".');
  if (messageId !== undefined && typeof messageId !== "string") throw invalid("messageId must be a string.");
  if (typeof id !== "string") throw invalid("id must be the id of the chat, a string.");
  return { chatId: checkSessionId(id), isRegenerated: trigger === "regenerate-message", messageId };
}

function readMessages({ messages, message }: Body, isRegenerated: boolean): Pick<Chat, "before" | "last"> {
  if ((messages === undefined) === (message === undefined))
    throw invalid("The body must have either messages, an array, or message, the last one alone.");
  if (messages === undefined) return { before: undefined, last: readMessage(message, "message") };
  if (!Array.isArray(messages)) throw invalid("messages must be an array.");
  const read = messages.map((each, index) => readMessage(each, `messages[${index}]`));
  // The messages may still contain the answer that must be regenerated.
  const end = isRegenerated ? read.findLastIndex(({ role }) => role === "user") + 1 : read.length;
  const last = read[end - 1];
  if (last === undefined) throw invalid(`messages must have a message${isRegenerated ? " of the user" : ""}.`);
  return { before: read.slice(0, end - 1), last };
}

function readMessage(value: unknown, place: string): SentMessage {
  const { id, role, parts } = (value ?? {}) as Record<string, unknown>;
  // Rejects system messages, with which a client could change the agent's instructions.
  if (role !== "user" && role !== "assistant") throw invalid(`${place}.role must be "user" or "assistant".`);
  if (id !== undefined && typeof id !== "string") throw invalid(`${place}.id must be a string.`);
  return { id, role, parts: readParts(parts, role, `${place}.parts`) };
}

function readParts(parts: unknown, role: SentMessage["role"], place: string): UiPart[] {
  if (!Array.isArray(parts) || !parts.every(isPart)) throw invalid(`${place} must be an array of parts with a type.`);
  const check = role === "user" ? checkUserPart : checkText;
  for (const [index, part] of parts.entries()) check(part, `${place}[${index}]`);
  if (role === "user") checkSaid(parts, place);
  return parts;
}

/** Checks a part of a user's message: text, a file, or the page's own data. */
function checkUserPart(part: UiPart, place: string): void {
  if (part.type === "text") return checkText(part, place);
  if (part.type === "file") return checkFile(part, place);
  if (isOwnData(part)) return undefined;
  const type = JSON.stringify(part.type.slice(0, 64));
  throw invalid(`${place} of the user's message has the type ${type}. Expected text, file or data-….`);
}

function checkText({ type, text }: UiPart, place: string): void {
  if (type === "text" && typeof text !== "string") throw invalid(`${place}.text must be a string.`);
}

function checkFile({ mediaType, url, filename }: UiPart, place: string): void {
  if (typeof mediaType !== "string") throw invalid(`${place}.mediaType must be a string.`);
  // Rejects paths and `blob:` addresses, which only the browser itself could read.
  if (typeof url !== "string" || !/^(?:data|https?):/i.test(url))
    throw invalid(`${place}.url must be a data: URL, or an address of http or https.`);
  if (filename !== undefined && typeof filename !== "string") throw invalid(`${place}.filename must be a string.`);
}

/** Checks that the user's message is not empty, and has no more parts than the input of a run allows. */
function checkSaid(parts: readonly UiPart[], place: string): void {
  if (parts.length > maxParts) throw invalid(`${place} must have at most ${maxParts} parts, got ${parts.length}.`);
  const isSaid = parts.some((part) => !isOwnData(part) && (part.type !== "text" || /\S/.test(String(part["text"]))));
  if (!isSaid) throw invalid(`${place} must have a text that is not blank, or a file.`);
}

/** Returns true if a part of a user's message is for the page only, and not for the model. */
export function isOwnData({ type }: UiPart): boolean {
  return type.startsWith("data-") || type === "step-start";
}

function isPart(part: unknown): part is UiPart {
  return typeof part === "object" && part !== null && typeof (part as { type?: unknown }).type === "string";
}

function invalid(message: string): TroupeError {
  return new TroupeError("invalid_request", message);
}
