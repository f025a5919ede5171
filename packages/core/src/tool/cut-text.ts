/** The result of `cutText`: the text that fits, and the number of UTF-16 units that were cut off its end. */
export type CutText = { readonly text: string; readonly cut: number };

/** The largest number of UTF-8 bytes for one UTF-16 unit. */
const mostBytesPerUnit = 3;

/** Makes a text well-formed and cuts it to a number of UTF-8 bytes, between characters. */
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
