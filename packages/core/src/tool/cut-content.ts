import type { ContentPart } from "../message/content.ts";
import { cutText } from "./cut-text.ts";

/** The number of content parts that a tool result may have. */
const maxParts = 100;

/** The limit of a tool's content in bytes of UTF-8, and a function that is called when something was cut or left out. */
export type OutputLimit = { readonly maxBytes: number; readonly onCut: () => void };

/** Cuts a text to a number of bytes of UTF-8. A text that was cut ends with a note that says so to the model. */
export function cutToolText(text: string, { maxBytes, onCut }: OutputLimit): string {
  const { text: kept, cut } = cutText(text, maxBytes);
  if (cut > 0) onCut();
  return cut === 0 ? kept : `${kept}\n[cut here: ${cut} of ${text.length} characters were left out]`;
}

/**
 * Cuts content parts to a number of bytes in all, and to 100 parts: texts are cut, and a note to the model stands in
 * place of an image, audio or file that does not fit.
 */
export function cutToolParts(parts: readonly ContentPart[], { maxBytes, onCut }: OutputLimit): ContentPart[] {
  let left = maxBytes;
  const kept = parts.slice(0, maxParts).map((part): ContentPart => {
    const size = Buffer.byteLength(part.type === "text" ? part.text : part.data);
    const room = left;
    if (part.type === "text" || size <= left) left = Math.max(0, left - size);
    if (part.type === "text") return { type: "text", text: cutToolText(part.text, { maxBytes: room, onCut }) };
    if (size <= room) return part;
    onCut();
    return { type: "text", text: noteOn(part, size, maxBytes) };
  });
  const more = parts.length - kept.length;
  if (more > 0) onCut();
  return more > 0 ? [...kept, { type: "text", text: `[${more} more parts were left out]` }] : kept;
}

function noteOn({ type, mimeType }: Exclude<ContentPart, { type: "text" }>, size: number, maxBytes: number): string {
  const what = mimeType === undefined ? type : `${type}, ${mimeType}`;
  return `[${what}: left out, because its ${size} bytes exceed the maxOutputBytes of the tool, ${maxBytes}]`;
}
