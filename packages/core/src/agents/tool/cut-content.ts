import type { ContentPart } from "../../base/message/content.ts";

/** The number of content parts that a tool result may have. */
const maxParts = 100;

/** The limit of a tool's content in bytes of UTF-8, and a function that is called when something was cut or left out. */
export type OutputLimit = { readonly maxBytes: number; readonly onCut: () => void };

/** Cuts a text to a number of bytes of UTF-8. A text that was cut ends with a note that says so to the model. */
export function cutToolText(text: string, { maxBytes, onCut }: OutputLimit): string {
  const { text: kept, cut } = cutToBytes(text, maxBytes);
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

/** The result of `cutToBytes`: the text that fits, and the number of UTF-16 units that were cut off its end. */
export type CutText = { readonly text: string; readonly cut: number };

/** The largest number of UTF-8 bytes for one UTF-16 unit. */
const mostBytesPerUnit = 3;

/** Makes a text well-formed and cuts it to a number of UTF-8 bytes, between characters. */
export function cutToBytes(text: string, maxBytes: number): CutText {
  if (text.length * mostBytesPerUnit <= maxBytes || fits(text, maxBytes)) return { text: text.toWellFormed(), cut: 0 };
  const bytes = new Uint8Array(maxBytes);
  const { read, written } = new TextEncoder().encodeInto(text.slice(0, maxBytes), bytes);
  // Decoded and not sliced: a slice would hold on to the whole text.
  return { text: new TextDecoder().decode(bytes.subarray(0, written)), cut: text.length - read };
}

function fits(text: string, maxBytes: number): boolean {
  return Buffer.byteLength(text) <= maxBytes;
}
