import { TroupeError } from "../../base/errors/troupe-error.ts";
import { isChatMessage } from "../../sessions/history/is-chat-message.ts";
import type { ContentPart, MessageContent } from "../../base/message/content.ts";
import type { ChatMessage } from "../../base/message/message.ts";
import { shorten } from "../../schema/schema-issue.ts";
import { isArrayOf } from "../../sessions/storage/stored-record.ts";
import { toStorable } from "../../sessions/storage/to-storable.ts";
import { withoutBreaks } from "./data-block.ts";
import { cutText } from "../../base/util/cut-text.ts";

/** The maximum length of a transcript line, in characters: enough to recognise the message's topic. */
const maxLineLength = 1000;

/**
 * Returns storable copies of messages, without system messages, which are not part of a conversation. Throws
 * `invalid_value` if the value is not an array of messages.
 */
export function toConversation(messages: readonly ChatMessage[]): ChatMessage[] {
  if (isArrayOf(messages, isChatMessage)) return toStorable(messages.filter(({ role }) => role !== "system"));
  throw new TroupeError(
    "invalid_value",
    "messages must be an array of ChatMessage objects, each with a role and content.",
  );
}

/**
 * Returns messages as lines for a prompt that asks for a summary or for facts. Each message's content and each tool
 * call is a line of at most 1,000 characters.
 */
export function toTranscript(messages: readonly ChatMessage[]): string[] {
  return messages.flatMap(linesOf).map((line) => shorten(line, maxLineLength));
}

function linesOf({ role, content, toolCalls = [] }: ChatMessage): string[] {
  const text = textOf(content);
  const said = text === "" ? [] : [`${role}: ${text}`];
  const calls = toolCalls.map((call) => `${role} called ${call.name}: ${start(JSON.stringify(call.arguments))}`);
  return [...said, ...calls];
}

function textOf(content: MessageContent | null): string {
  if (content === null || typeof content === "string") return start(content ?? "");
  return start(content.map(partText).join(" "));
}

function partText(part: ContentPart): string {
  return part.type === "text" ? start(part.text) : `[${part.type}]`;
}

// Returns the beginning of a text. For a text of several megabytes, the rest is not read.
function start(text: string): string {
  return withoutBreaks(cutText(text, 2 * maxLineLength).toWellFormed());
}
