import type { ChatMessage, MessageContent } from "@troupe/core";
import { cutText, isSecretName } from "@troupe/core/kit";
import type { Redactor } from "@troupe/core/kit";

/** The rules for recorded content: its maximum length, and the secrets that it must not contain. */
export type ContentRules = {
  /** Largest size of one attribute in characters. */
  readonly maxLength: number;
  /** Masks the caller's API keys, and text that looks like a secret. */
  readonly redact: Redactor;
};

const redacted = "[redacted]";
const deepest = 16;
const mostEntries = 200;

/** Returns a text as it is recorded in an attribute: bounded, with secrets masked. */
export function toText(text: string, { maxLength, redact }: ContentRules): string {
  return redact(text, maxLength);
}

/**
 * Returns a value as JSON for an attribute: bounded, with secrets masked. JSON that is too long is cut, and becomes a
 * JSON string of its beginning.
 */
export function toJsonText(value: unknown, rules: ContentRules): string {
  const text = JSON.stringify(scrub(value, rules, 0)) ?? "null";
  if (text.length <= rules.maxLength) return text;
  // In a JSON string, each character of the text takes at most two characters, and the ellipsis and the quotes take
  // three.
  return JSON.stringify(`${cutText(text, Math.floor(rules.maxLength / 2) - 2)}…`);
}

/**
 * Returns the input of a model call in the form of OpenTelemetry's conventions: the instructions, and the other
 * messages.
 */
export function toInput(
  messages: readonly ChatMessage[],
  rules: ContentRules,
): { readonly instructions: string | undefined; readonly messages: string } {
  const system = messages.filter(({ role }) => role === "system");
  const others = messages.filter(({ role }) => role !== "system");
  const parts = system.flatMap(({ content }) => toParts(content, rules));
  return {
    instructions: parts.length === 0 ? undefined : toJsonText(parts, rules),
    messages: newestThatFit(
      others.map((message) => toMessage(message, rules)),
      rules.maxLength,
    ),
  };
}

/** The text, the tool calls and the finish reason of an answer. */
type Answer = {
  readonly text: string;
  readonly toolCalls?: ChatMessage["toolCalls"] | undefined;
  readonly finishReason?: string | undefined;
};

/**
 * Returns an answer in the form of OpenTelemetry's conventions. Backends that check this form drop an answer without a
 * finish reason.
 */
export function toOutput({ text, toolCalls = [], finishReason = "stop" }: Answer, rules: ContentRules): string {
  const message = toMessage({ role: "assistant", content: text, toolCalls }, rules);
  const reason = finishReason === "tool_calls" ? "tool_call" : finishReason;
  return newestThatFit([{ ...message, finish_reason: reason }], rules.maxLength);
}

/** Returns messages as JSON. Drops the oldest messages if the JSON would be too long. */
function newestThatFit(messages: readonly object[], maxLength: number): string {
  const texts = messages.map((message) => JSON.stringify(message));
  let length = 2;
  let from = texts.length;
  while (from > 0 && length + (texts[from - 1]?.length ?? 0) + 1 <= maxLength)
    length += (texts[--from]?.length ?? 0) + 1;
  return `[${texts.slice(from).join(",")}]`;
}

function toMessage({ role, content, toolCalls = [], toolCallId }: ChatMessage, rules: ContentRules): object {
  if (role === "tool") {
    const response = typeof content === "string" ? toPart(content, rules) : toParts(content, rules);
    return { role, parts: [{ type: "tool_call_response", id: toolCallId, response }] };
  }
  const calls = toolCalls.map(({ id, name, arguments: given }) => {
    // The name is shortened and masked too, because the model may have invented it.
    return { type: "tool_call", id, name: toPart(name, rules), arguments: scrub(given, rules, 0) };
  });
  return { role, parts: [...toParts(content, rules), ...calls] };
}

function toParts(content: MessageContent | null, rules: ContentRules): object[] {
  if (content === null || content === "") return [];
  if (typeof content === "string") return [{ type: "text", content: toPart(content, rules) }];
  return content.map((part) => {
    if (part.type === "text") return { type: "text", content: toPart(part.text, rules) };
    // The data of images, audio and files is not recorded, because it would exceed the limits of most backends.
    return { type: "blob", modality: part.type === "file" ? "document" : part.type, mime_type: part.mimeType };
  });
}

/** Shortens a part of a message to a quarter of an attribute, so that one long part does not crowd out the others. */
function toPart(text: string, { redact, maxLength }: ContentRules): string {
  return redact(text, Math.floor(maxLength / 4));
}

function scrub(value: unknown, rules: ContentRules, depth: number): unknown {
  if (typeof value === "string") return toPart(value, rules);
  if (typeof value !== "object" || value === null) return typeof value === "bigint" ? String(value) : value;
  if (depth === deepest) return "[…]";
  if (Array.isArray(value)) return value.slice(0, mostEntries).map((each) => scrub(each, rules, depth + 1));
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  const entries = Object.entries(value).slice(0, mostEntries);
  return Object.fromEntries(
    entries.map(([name, each]) => [toPart(name, rules), isSecretName(name) ? redacted : scrub(each, rules, depth + 1)]),
  );
}
