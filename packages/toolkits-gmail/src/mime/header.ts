import { TroupeError } from "@troupe/core";
import { checkHeaderText } from "./address.ts";
import type { MailAddress } from "./address.ts";

/** Longest recommended line of a mail in characters, without its line break. */
const longestLine = 78;

/** Longest word that is left unencoded: together with the name of a header it fits on a line. */
const longestWord = 60;

/**
 * Bytes of text in an encoded word. With this size, a line stays within the recommended length even after the longest
 * header name.
 */
const bytesPerWord = 39;

/**
 * Makes a header of text, such as the subject, folded. Plain ASCII stays unchanged; other text becomes encoded words
 * (RFC 2047). Throws `invalid_request` for a control character.
 */
export function textHeader(name: string, text: string): string {
  checkHeaderText(name, text);
  const isPlain = /^[!-~]+(?: [!-~]+)*$/.test(text) && !text.includes("=?");
  const folded = isPlain ? fold(`${name}: ${text}`) : undefined;
  return folded ?? `${name}: ${encodedWords(text)}`;
}

/** Makes a mail header of addresses, each on its own line. */
export function addressHeader(name: string, addresses: readonly MailAddress[]): string {
  return `${name}: ${addresses.map(writeAddress).join(",\r\n ")}`;
}

/** Makes a header of message ids, each on its own line. Throws `invalid_request` for an invalid message id. */
export function messageIdHeader(name: string, ids: readonly string[]): string {
  for (const id of ids) {
    if (isMessageId(id)) continue;
    throw new TroupeError(
      "invalid_request",
      `${name} must be a message id such as <abc@mail.example.com>: pass the messageId of a mail that gmail_read returned.`,
    );
  }
  return `${name}: ${ids.join("\r\n ")}`;
}

/** Returns true if a string is a message id with its angle brackets. */
export function isMessageId(text: string): boolean {
  return text.length <= 500 && /^<[!-;=?A-~]+@[!-;=?A-~]+>$/.test(text);
}

function writeAddress({ address, name }: MailAddress): string {
  if (name === undefined) return address;
  checkHeaderText("The name of an address", name);
  const isShort = name.length <= 60;
  if (isShort && /^[\w!#$%&'*+/^`{|}~-]+(?: [\w!#$%&'*+/^`{|}~-]+)*$/.test(name)) return `${name} <${address}>`;
  if (isShort && /^[ -~]*$/.test(name) && !name.includes("=?")) {
    return `"${name.replaceAll(/["\\]/g, "\\$&")}" <${address}>`;
  }
  return `${encodedWords(name)}\r\n <${address}>`;
}

/** Breaks the line of a mail header before spaces. Returns `undefined` if a word is too long for a line. */
function fold(line: string): string | undefined {
  const lines: string[] = [];
  let current = "";
  for (const word of line.split(" ")) {
    if (current !== "" && current.length + 1 + word.length > longestLine) {
      lines.push(current);
      current = "";
    }
    if (word.length > longestWord) return undefined;
    current = current === "" && lines.length === 0 ? word : `${current} ${word}`;
  }
  return [...lines, current].join("\r\n");
}

/** Writes text as encoded words of whole characters, each on its own line; readers join them without a space. */
function encodedWords(text: string): string {
  const words: string[] = [];
  let word = "";
  let size = 0;
  for (const character of text.toWellFormed()) {
    const bytes = Buffer.byteLength(character);
    if (size + bytes > bytesPerWord) {
      words.push(word);
      word = "";
      size = 0;
    }
    word += character;
    size += bytes;
  }
  return [...words, word].map((each) => `=?UTF-8?B?${Buffer.from(each).toString("base64")}?=`).join("\r\n ");
}
