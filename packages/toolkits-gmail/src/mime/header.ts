import { TroupeError } from "@troupe/core";
import { checkHeaderText } from "./address.ts";
import type { MailAddress } from "./address.ts";

/** The longest line that a mail should have, in characters, without its line break. */
const longestLine = 78;

/** The longest word that is left as it is: with the name of a header before it, it fits a line. */
const longestWord = 60;

/** Bytes of text in an encoded word: with the longest name of a header before it, the line keeps to its length. */
const bytesPerWord = 39;

/** Makes a header of text, such as the subject: plain ASCII as it is, all else in encoded words (RFC 2047), folded. */
export function textHeader(name: string, text: string): string {
  checkHeaderText(name, text);
  const isPlain = /^[!-~]+(?: [!-~]+)*$/.test(text) && !text.includes("=?");
  const folded = isPlain ? fold(`${name}: ${text}`) : undefined;
  return folded ?? `${name}: ${encodedWords(text)}`;
}

/** Makes a header of addresses, each on a line of its own. */
export function addressHeader(name: string, addresses: readonly MailAddress[]): string {
  return `${name}: ${addresses.map(writeAddress).join(",\r\n ")}`;
}

/** Makes a header of message ids, each on a line of its own. Throws `invalid_request` for what is no message id. */
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

/** Tells if a string is a message id with its angle brackets. */
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

/** Breaks a line before spaces. Returns `undefined` where a word is too long for a line. */
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

/** Writes text as encoded words of whole characters, each on a line of its own; readers join them without a space. */
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
