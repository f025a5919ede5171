import { cutText } from "@troupe/core/kit";

/**
 * Invisible characters, which can hide words from a reader: format characters except joiners, and variation selectors.
 */
const invisible = /(?![\u200c\u200d])\p{Cf}|[\u{e0100}-\u{e01ef}]/gu;
const controls = /[\p{Cc}\p{Zl}\p{Zp}]/gu;

/**
 * Returns a service's text on one line: without control and invisible characters, with single spaces, and cut to
 * `longest` characters with an ellipsis. Returns an empty string if it is not a string.
 */
export function cleanText(text: unknown, longest: number): string {
  if (typeof text !== "string") return "";
  return shorten(
    visible(text.slice(0, roomFor(longest)))
      .replace(/\s+/g, " ")
      .trim(),
    longest,
  );
}

/**
 * Like `cleanText`, but keeps line breaks: white space within a line becomes single spaces, and consecutive empty lines
 * become one.
 */
export function cleanLines(text: unknown, longest: number): string {
  if (typeof text !== "string") return "";
  const lines = text.slice(0, roomFor(longest)).split(/\r\n|[\n\r\u2028\u2029]/);
  const clean = lines.map((line) => visible(line).replace(/\s+/g, " ").trim()).join("\n");
  return shorten(clean.replace(/\n{3,}/g, "\n\n").trim(), longest);
}

/**
 * Returns the number of characters of a text to read: more than are kept, because some are removed. The number is
 * bounded, so that a huge text costs little.
 */
function roomFor(longest: number): number {
  return 4 * longest + 1000;
}

function visible(text: string): string {
  return text.replace(controls, " ").replace(invisible, "").toWellFormed();
}

/** Cuts a text to `longest` characters including the ellipsis. */
function shorten(text: string, longest: number): string {
  return text.length <= longest ? text : `${cutText(text, longest - 1).trimEnd()}…`;
}
