/** A text that fits, and how many UTF-16 units were cut off its end. */
export type CutText = { readonly text: string; readonly cut: number };

/** How many bytes of UTF-8 one UTF-16 unit can come to. */
const mostBytesPerUnit = 3;

/**
 * Makes a text well-formed and cuts it to a number of bytes of UTF-8, between characters. Of what is cut off nothing is
 * looked at, however long it is.
 */
export function cutText(text: string, maxBytes: number): CutText {
  if (text.length * mostBytesPerUnit <= maxBytes || fits(text, maxBytes)) return { text: text.toWellFormed(), cut: 0 };
  const bytes = new Uint8Array(maxBytes);
  const { read, written } = new TextEncoder().encodeInto(text.slice(0, maxBytes), bytes);
  // Decoded and not sliced: a slice would hold on to the whole text.
  return { text: new TextDecoder().decode(bytes.subarray(0, written)), cut: text.length - read };
}

function fits(text: string, maxBytes: number): boolean {
  return text.length <= maxBytes && Buffer.byteLength(text) <= maxBytes;
}
