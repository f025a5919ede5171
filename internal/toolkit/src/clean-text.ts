import { cutText } from "@troupe/core/kit";

/** Characters that show nothing, and can hide words from a reader: format characters but joiners, and variation selectors. */
const invisible = /(?![\u200c\u200d])\p{Cf}|[\u{e0100}-\u{e01ef}]/gu;
const controls = /[\p{Cc}\p{Zl}\p{Zp}]/gu;

/**
 * Returns a text of a service on one line: without control and invisible characters, white space as single spaces, and
 * cut to `longest` characters with an ellipsis. What is no string is empty.
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

/** As `cleanText`, but keeps the lines: white space within a line becomes single spaces, and no two empty lines follow each other. */
export function cleanLines(text: unknown, longest: number): string {
  if (typeof text !== "string") return "";
  const lines = text.slice(0, roomFor(longest)).split(/\r\n|[\n\r\u2028\u2029]/);
  const clean = lines.map((line) => visible(line).replace(/\s+/g, " ").trim()).join("\n");
  return shorten(clean.replace(/\n{3,}/g, "\n\n").trim(), longest);
}

/** More than is kept, since some characters go; bounded, so that a huge text costs little. */
function roomFor(longest: number): number {
  return 4 * longest + 1000;
}

function visible(text: string): string {
  return text.replace(controls, " ").replace(invisible, "").toWellFormed();
}

/** Cuts a text to `longest` characters, the ellipsis included. */
function shorten(text: string, longest: number): string {
  return text.length <= longest ? text : `${cutText(text, longest - 1).trimEnd()}…`;
}
