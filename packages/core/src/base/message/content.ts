import { isBlank } from "../util/is-blank.ts";

/** A text part of a message whose content is an array of parts. */
export type TextPart = { type: "text"; text: string };
/** An image part of a message. `data` is base64, a `data:` URL or an `http(s)` URL. */
export type ImagePart = { type: "image"; data: string; mimeType?: string };
/** An audio part of a message. `data` is base64, a `data:` URL or an `http(s)` URL. */
export type AudioPart = { type: "audio"; data: string; mimeType?: string };
/** A part of a message with any other file. `data` is base64, a `data:` URL or an `http(s)` URL. */
export type FilePart = { type: "file"; data: string; mimeType: string; filename?: string };

/** One piece of a message whose content is an array: text, an image, audio or a file. */
export type ContentPart = TextPart | ImagePart | AudioPart | FilePart;

/** Content of a message: a string, or an array of parts if it contains more than text. */
export type MessageContent = string | ContentPart[];

/**
 * Returns the text of a message's content: the string, or the text parts joined by newlines; empty for `null`. Other
 * parts are omitted.
 */
export function getTextContent(content: MessageContent | null): string {
  if (content === null) return "";
  if (typeof content === "string") return content;
  return content
    .filter((part) => part.type === "text")
    .map((part) => part.text)
    .join("\n");
}

/** Returns true if the content has only text parts, and no text except white space. */
export function isBlankContent(content: MessageContent | null): boolean {
  const hasOther = Array.isArray(content) && content.some((part) => part.type !== "text");
  return !hasOther && isBlank(getTextContent(content));
}

/**
 * Returns true if the content of a message is an array of parts, even if all of them are text; false for a string or
 * `null`.
 */
export function isMultiModal(content: MessageContent | null): content is ContentPart[] {
  return Array.isArray(content);
}
