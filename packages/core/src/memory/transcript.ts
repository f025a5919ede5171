import type { ContentPart, MessageContent } from "../message/content.ts";
import type { ChatMessage } from "../message/message.ts";
import { shorten } from "../schema/schema-issue.ts";
import { withoutBreaks } from "./data-block.ts";

/** What is told of one message: enough to know what it was about. */
const longestLine = 1000;

/** Writes each thing that was said, asked for or found as one line, cut where it is long. */
export function toTranscript(messages: readonly ChatMessage[]): string[] {
  return messages.flatMap(linesOf).map((line) => shorten(line, longestLine));
}

function linesOf({ role, content, toolCalls = [] }: ChatMessage): string[] {
  const text = textOf(content);
  const said = text === "" ? [] : [`${role}: ${text}`];
  const asked = toolCalls.map((call) => `${role} called ${call.name}: ${start(JSON.stringify(call.arguments))}`);
  return [...said, ...asked];
}

function textOf(content: MessageContent | null): string {
  if (content === null || typeof content === "string") return start(content ?? "");
  return start(content.map(partText).join(" "));
}

function partText(part: ContentPart): string {
  return part.type === "text" ? start(part.text) : `[${part.type}]`;
}

/** As much as a line can use: the rest of a text of megabytes is not even looked at. */
function start(text: string): string {
  return withoutBreaks(text.slice(0, 2 * longestLine).toWellFormed());
}
