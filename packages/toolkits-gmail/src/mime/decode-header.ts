import { cutText } from "@troupe/core/kit";
import { cleanText } from "@troupe-internal/toolkit";

const encodedWord = /=\?([^?\s*]+)(?:\*[^?\s]*)?\?([BbQq])\?([^?\s]*)\?=/g;

/** Longest header that is read, and longest header that is shown, in characters. */
const longestHeader = 4000;
const longestShown = 1000;

/**
 * Returns a header as one line of readable text. Encoded words (RFC 2047) are decoded, and control characters are
 * removed.
 */
export function decodeHeader(written: string): string {
  return cleanText(decodeWords(cutText(written, longestHeader)), longestShown);
}

function decodeWords(text: string): string {
  // White space between encoded words is not part of the text.
  const joined = text.replaceAll(/\?=[ \t\r\n]+(?==\?)/g, "?=");
  let decoded = "";
  let end = 0;
  let open: { charset: string; bytes: Buffer } | undefined;
  const close = () => {
    if (open !== undefined) decoded += decodeBytes(open.bytes, open.charset);
    open = undefined;
  };
  for (const { 0: whole, 1: charset = "", 2: encoding = "", 3: data = "", index } of joined.matchAll(encodedWord)) {
    if (index > end || charset !== open?.charset) close();
    decoded += joined.slice(end, index);
    const bytes = /b/i.test(encoding) ? Buffer.from(data, "base64") : decodeQ(data);
    // Some mails wrongly split a character between two encoded words, so their bytes are joined before they are
    // decoded.
    open = { charset, bytes: open === undefined ? bytes : Buffer.concat([open.bytes, bytes]) };
    end = index + whole.length;
  }
  close();
  return decoded + joined.slice(end);
}

function decodeQ(data: string): Buffer {
  return percentBytes(data.replaceAll("_", " "), /=([\dA-Fa-f]{2})/g);
}

/** Returns the bytes of a text in which some bytes are written as a mark and two hexadecimal digits. */
function percentBytes(text: string, mark: RegExp): Buffer {
  return Buffer.from(
    Buffer.from(text)
      .toString("latin1")
      .replaceAll(mark, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16))),
    "latin1",
  );
}

/**
 * Decodes bytes by the charset that a mail names. Bytes of an unknown charset are read as UTF-8, or else as
 * Windows-1252.
 */
export function decodeBytes(bytes: Uint8Array, charset = ""): string {
  const isNamed = charset !== "" && !/^(?:us-)?ascii$/i.test(charset);
  const named = isNamed ? tryToDecode(bytes, charset) : undefined;
  return named ?? tryToDecode(bytes, "utf-8", { fatal: true }) ?? new TextDecoder("windows-1252").decode(bytes);
}

/**
 * Decodes bytes. Returns `undefined` for an unknown charset, and with `fatal` also for bytes that are invalid in it.
 */
function tryToDecode(bytes: Uint8Array, charset: string, options?: { fatal: true }): string | undefined {
  try {
    return new TextDecoder(charset, options).decode(bytes);
  } catch {
    return undefined;
  }
}

/**
 * Returns a parameter of a header such as `text/plain; charset="utf-8"`, or an empty string. Supports encoded and split
 * parameters (RFC 2231).
 */
export function readParameter(header: string, name: string): string {
  const parameters = new Map<string, string>();
  const pairs = /;[ \t\r\n]*([^\s=;"]+)[ \t]*=[ \t]*("(?:[^"\\]|\\.)*"|[^\s;]*)/g;
  for (const [, key = "", value = ""] of cutText(header, longestHeader).matchAll(pairs)) {
    const isQuoted = value.startsWith('"');
    parameters.set(key.toLowerCase(), isQuoted ? value.slice(1, -1).replaceAll(/\\(.)/g, "$1") : value);
  }
  const whole = parameters.get(`${name}*`);
  if (whole !== undefined) return decodeExtended(whole);
  return parameters.get(name) ?? readPieces(parameters, name);
}

/** Joins the pieces `name*0`, `name*1` and so on of a header's parameter, each of which may be encoded. */
function readPieces(parameters: ReadonlyMap<string, string>, name: string): string {
  let text = "";
  let isEncoded = false;
  for (let index = 0; ; index++) {
    const encoded = parameters.get(`${name}*${index}*`);
    const piece = encoded ?? parameters.get(`${name}*${index}`);
    if (piece === undefined) break;
    isEncoded ||= encoded !== undefined;
    // A percent sign in an unencoded piece is a literal character.
    text += encoded ?? piece.replaceAll("%", "%25");
  }
  return isEncoded ? decodeExtended(text) : text.replaceAll("%25", "%");
}

function decodeExtended(text: string): string {
  const [, charset, data] = /^([^']*)'[^']*'(.*)$/s.exec(text) ?? [undefined, "", text];
  return decodeBytes(percentBytes(data ?? "", /%([\dA-Fa-f]{2})/g), charset);
}
