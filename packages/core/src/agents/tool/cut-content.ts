import type { ContentPart } from "../../base/message/content.ts";

/** The maximum number of content parts in a tool result. */
const maxParts = 100;

/** The limit of a tool's content in bytes of UTF-8, and a function that is called if content was cut or omitted. */
export type OutputLimit = { readonly maxBytes: number; readonly onCut: () => void };

/** Cuts a text to a number of bytes of UTF-8. A shortened text is followed by a note for the model. */
export function cutToolText(text: string, { maxBytes, onCut }: OutputLimit): string {
  const { text: kept, cut } = cutToBytes(text, maxBytes);
  if (cut > 0) onCut();
  return cut === 0 ? kept : `${kept}\n[cut here: ${cut} of ${text.length} characters were left out]`;
}

/**
 * Cuts content parts to a total number of bytes and to 100 parts. Texts are cut. An image, audio or file that does not
 * fit is replaced by a note for the model.
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

/** The result of `cutToBytes`: the text that fits, and the number of UTF-16 units removed from its end. */
export type CutText = { readonly text: string; readonly cut: number };

/** The maximum number of UTF-8 bytes for one UTF-16 unit. */
const mostBytesPerUnit = 3;

/** Makes a text well-formed and cuts it to a number of UTF-8 bytes, between characters. */
export function cutToBytes(text: string, maxBytes: number): CutText {
  if (text.length * mostBytesPerUnit <= maxBytes || fits(text, maxBytes)) return { text: text.toWellFormed(), cut: 0 };
  const bytes = new Uint8Array(maxBytes);
  const { read, written } = new TextEncoder().encodeInto(text.slice(0, maxBytes), bytes);
  // The text is decoded from its bytes instead of being sliced, because a slice would keep the whole text in memory.
  return { text: new TextDecoder().decode(bytes.subarray(0, written)), cut: text.length - read };
}

function fits(text: string, maxBytes: number): boolean {
  return Buffer.byteLength(text) <= maxBytes;
}
