import { createHash } from "node:crypto";
import { readMessages } from "./http-message.ts";
import type { Message } from "./http-message.ts";
import type { Normaliser } from "./normalise.ts";

/** Longest body in bytes that is written out. A longer one is written as its length and its hash. */
const longestBody = 256 * 1024;
const longestRequest = 4096;

/** A request and what came back, before anything in it is replaced. */
export type Recorded = {
  readonly title: string;
  readonly request: Buffer;
  readonly answer: Buffer;
  readonly note: string;
};

/**
 * Writes a section: a title, the request behind "> " and the answer behind "< ". Lengths of bodies and chunks that are
 * right change with what is replaced, so that the digits of a time do not show in them.
 */
export function writeSection({ title, request, answer, note }: Recorded, normaliser: Normaliser): string {
  const messages = readMessages(request, answer).map((message) => writeMessage(message, normaliser));
  const sent = request.length > longestRequest ? shorten(request) : normaliser.apply(toText(request));
  const ended = note === "" ? [] : [`(${note})`];
  return [`## ${title}`, ...quote(sent, "> "), ...messages.flatMap((text) => quote(text, "< ")), ...ended].join("\n");
}

function quote(text: string, mark: string): string[] {
  return text.split("\n").map((line) => `${mark}${line}`);
}

function shorten(bytes: Buffer): string {
  return `${toText(bytes.subarray(0, 256))}… (${describe(bytes)})`;
}

function describe(bytes: Buffer): string {
  return `${bytes.length} bytes, sha256 ${createHash("sha256").update(bytes).digest("hex")}`;
}

function writeMessage({ head, framing, chunks, isCut }: Message, normaliser: Normaliser): string {
  const bodies = chunks.map((chunk) => writeBody(chunk, normaliser));
  const cut = isCut ? "\n(the connection ended before the answer)" : "";
  const [body] = bodies;
  const isRight = framing === "length" && !isCut && body !== undefined;
  const written = isRight ? head.replace(/^(content-length: )\d+/im, `$1${body.size}`) : head;
  const top = normaliser.apply(toText(Buffer.from(written, "latin1")));
  if (framing !== "chunks") return `${top}${body?.text ?? ""}${cut}`;
  const framed = bodies.map(({ size, text }) => `${size.toString(16)}␍\n${text}␍\n`).join("");
  return `${top}${framed}${isCut ? "" : "0␍\n␍\n"}${cut}`;
}

/** Returns a body as it is written, and the size that it would have with its replaced ids and times. */
function writeBody(bytes: Buffer, normaliser: Normaliser): { text: string; size: number } {
  if (bytes.length > longestBody) return { text: `(${describe(bytes)})`, size: bytes.length };
  const sent = toText(bytes);
  const text = normaliser.apply(sent);
  return { text, size: bytes.length + Buffer.byteLength(text) - Buffer.byteLength(sent) };
}

/** Returns bytes as readable text: control characters as their pictures, such as ␍, and bytes that are not UTF-8 as ⟨ff⟩. */
function toText(bytes: Buffer): string {
  const text = bytes.toString("utf8");
  const readable = Buffer.from(text, "utf8").equals(bytes)
    ? text
    : bytes.toString("latin1").replaceAll(/[\u0080-\u00FF]/g, (byte) => `⟨${byte.charCodeAt(0).toString(16)}⟩`);
  return readable.replaceAll(/(?!\n)\p{Cc}/gu, (control) => String.fromCodePoint(pictureOf(control.charCodeAt(0))));
}

/** Returns the code of the picture of a control character. The pictures of DEL and of U+0080 to U+009F are one. */
function pictureOf(code: number): number {
  return code < 0x20 ? 0x2400 + code : 0x2421;
}
