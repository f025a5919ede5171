import { TroupeError } from "@troupe/core";

/** A mail address, and the display name for it. */
export type MailAddress = { readonly address: string; readonly name?: string };

const atom = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+";
const label = "[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?";
const addressPattern = new RegExp(`^(?<user>${atom}(?:\\.${atom})*)@(?<domain>${label}(?:\\.${label})+)$`);

const longestAddress = 254;
const longestUser = 64;
const longestName = 200;

/** Matches characters that a header field must not contain, because they could end it and begin another. */
const controlCharacter = /[\p{Cc}\u2028\u2029]/u;

/** Throws `invalid_request` for a line break or another control character, which could add a header to the mail. */
export function checkHeaderText(field: string, text: string): void {
  if (!controlCharacter.test(text)) return;
  throw new TroupeError(
    "invalid_request",
    `${field} must be one line without control characters. Remove line breaks and tabs from it.`,
  );
}

/** Returns true if a string is a plain mail address of ASCII characters, such as `ann@example.com`. */
export function isMailAddress(text: string): boolean {
  if (text.length > longestAddress) return false;
  const user = addressPattern.exec(text)?.groups?.["user"];
  return user !== undefined && user.length <= longestUser;
}

/**
 * Reads `ann@example.com` or `Ann Lee <ann@example.com>`. Throws `invalid_request` for anything else, including several
 * addresses in one string.
 */
export function parseAddress(field: string, text: string): MailAddress {
  checkHeaderText(field, text);
  const trimmed = text.trim();
  if (isMailAddress(trimmed)) return { address: trimmed };
  const open = trimmed.lastIndexOf("<");
  const address = trimmed.slice(open + 1, -1);
  if (open === -1 || !trimmed.endsWith(">") || !isMailAddress(address)) throw wrongAddress(field);
  const name = readName(field, trimmed.slice(0, open).trim());
  return name === "" ? { address } : { address, name };
}

function readName(field: string, written: string): string {
  if (written.length > longestName) throw wrongAddress(field);
  const quoted = /^"((?:[^"\\]|\\.)*)"$/u.exec(written)?.[1];
  if (quoted !== undefined) return quoted.replaceAll(/\\(.)/gu, "$1");
  // A name with `@`, an angle bracket or a quotation mark is rejected: it may contain an earlier address, which would
  // be lost.
  if (/[@<>"]/.test(written)) throw wrongAddress(field);
  return written;
}

function wrongAddress(field: string): TroupeError {
  return new TroupeError(
    "invalid_request",
    `${field} is not one mail address. Write ann@example.com or Ann Lee <ann@example.com>, in ASCII characters, and pass several as separate elements.`,
  );
}
