import { isBlank } from "../util/is-blank.ts";

/** Text of a message. */
export type TextPart = { type: "text"; text: string };
/** An image: base64, a `data:` URL or an `http(s)` URL. */
export type ImagePart = { type: "image"; data: string; mimeType?: string };
/** Audio: base64, a `data:` URL or an `http(s)` URL. */
export type AudioPart = { type: "audio"; data: string; mimeType?: string };
/** Any other file: base64, a `data:` URL or an `http(s)` URL. */
export type FilePart = { type: "file"; data: string; mimeType: string; filename?: string };

/** One piece of a message that is more than text. */
export type ContentPart = TextPart | ImagePart | AudioPart | FilePart;

/** Content of a message: a string, or parts. */
export type MessageContent = string | ContentPart[];

/** Returns the text of a message: its text parts joined by newlines. */
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

/** Tells if the content is an array of parts. */
export function isMultiModal(content: MessageContent | null): content is ContentPart[] {
  return Array.isArray(content);
}
