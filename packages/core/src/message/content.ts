import { isBlank } from "../util/is-blank.ts";

/** Text of a message. */
export type TextPart = { type: "text"; text: string };
/** An image: base64, a `data:` URL or an `http(s)` URL. */
export type ImagePart = { type: "image"; data: string; mimeType?: string };
/** A sound: base64, a `data:` URL or an `http(s)` URL. */
export type AudioPart = { type: "audio"; data: string; mimeType?: string };
/** Any other file: base64, a `data:` URL or an `http(s)` URL. */
export type FilePart = { type: "file"; data: string; mimeType: string; filename?: string };

/** One piece of a message that is more than text. */
export type ContentPart = TextPart | ImagePart | AudioPart | FilePart;

/** What a message holds: plain text, or parts. */
export type MessageContent = string | ContentPart[];

/** The text of a message; the text parts of a list are joined by newlines, other parts have no text. */
export function getTextContent(content: MessageContent | null): string {
  if (content === null) return "";
  if (typeof content === "string") return content;
  return content
    .filter((part) => part.type === "text")
    .map((part) => part.text)
    .join("\n");
}

/** Returns whether the content says nothing: no part but text, and no text but white space. */
export function isBlankContent(content: MessageContent | null): boolean {
  const hasOther = Array.isArray(content) && content.some((part) => part.type !== "text");
  return !hasOther && isBlank(getTextContent(content));
}

/** Whether the content is a list of parts. */
export function isMultiModal(content: MessageContent | null): content is ContentPart[] {
  return Array.isArray(content);
}
