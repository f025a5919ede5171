import { TroupeError } from "@troupe/core";
import type { ReadContent } from "./read-content.ts";

/** Decodes text in UTF-8, or in UTF-16 with a byte order mark. Other bytes are read as Windows-1252. */
export function decodeText(bytes: Uint8Array): string {
  const [first, second] = bytes;
  const encoding = first === 0xff && second === 0xfe ? "utf-16le" : first === 0xfe && second === 0xff ? "utf-16be" : "";
  const text = decodeAs(encoding === "" ? "utf-8" : encoding, bytes) ?? decodeAs("windows-1252", bytes) ?? "";
  if (text.includes("\0")) throw new TroupeError("invalid_value", "The document is not text: it has NUL characters.");
  return text.toWellFormed().replaceAll("\r\n", "\n");
}

function decodeAs(encoding: string, bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Reads plain text. */
export function readPlainText(bytes: Uint8Array): ReadContent {
  return { content: decodeText(bytes) };
}

/** Reads Markdown. The first heading is the title. Front matter is skipped. */
export function readMarkdown(bytes: Uint8Array): ReadContent {
  const content = decodeText(bytes).replace(/^---\n(?:.*\n)*?---\n/, "");
  const heading = /^#[ \t]+(\S.*)$/m.exec(content.slice(0, 10_000))?.[1];
  return withTitle(content, heading === undefined ? undefined : withoutClosing(heading));
}

/** Returns the title of a heading without the signs that may close its line. A pattern would take seconds for hostile lines. */
function withoutClosing(heading: string): string {
  let end = heading.length;
  while (heading[end - 1] === "#") end -= 1;
  return end === 0 || /\s/.test(heading[end - 1] ?? "") ? heading.slice(0, end) : heading;
}

/** Returns content with its title, if there is one. */
export function withTitle(content: string, title = ""): ReadContent {
  const line = title.replace(/\s+/g, " ").trim().slice(0, 200).toWellFormed();
  return line === "" ? { content } : { content, metadata: { title: line } };
}
