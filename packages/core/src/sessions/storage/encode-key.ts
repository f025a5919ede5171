import { TroupeError } from "../../base/errors/troupe-error.ts";

/** The maximum number with 12 digits. */
const maxSequence = 999_999_999_999;

/**
 * Joins parts to a key with `/`. Each part is percent-encoded outside `[A-Za-z0-9_.:@-]`, so that different parts never
 * make the same key. A number is written as a sequence number of 12 digits, so that keys sort numerically. `.` and `..`
 * are ordinary parts; an empty part is rejected.
 */
export function encodeKey(...parts: readonly (string | number)[]): string {
  const [only] = parts;
  // A shortcut: most keys are a single id, and a durable run encodes dozens of them.
  if (parts.length === 1 && typeof only === "string") return encodePart(only);
  return parts.map((part) => (typeof part === "number" ? encodeSequence(part) : encodePart(part))).join("/");
}

/** Returns the decoded parts of a key made by `encodeKey`. Sequence numbers are returned as strings of 12 digits. */
export function decodeKey(key: string): string[] {
  try {
    return key.split("/").map(decodeURIComponent);
  } catch {
    throw new TroupeError("invalid_value", "The key was not made by encodeKey: its percent-encoding is broken.");
  }
}

/** Matches a part of a key that needs no encoding. */
const plainPart = /^[\w.:@-]+$/;

/** Writes a sequence number, such as the number of a turn, with 12 digits, so that keys sort as the numbers do. */
export function encodeSequence(sequence: number): string {
  if (Number.isInteger(sequence) && sequence >= 0 && sequence <= maxSequence) return String(sequence).padStart(12, "0");
  throw new TroupeError(
    "invalid_value",
    `A sequence number must be an integer from 0 to ${maxSequence}, got ${sequence}.`,
  );
}

/** Reads a sequence number of 12 digits, written by `encodeSequence`. Returns `undefined` for other strings. */
export function decodeSequence(text: string): number | undefined {
  return /^\d{12}$/.test(text) ? Number(text) : undefined;
}

function encodePart(part: string): string {
  if (plainPart.test(part)) return part;
  if (part === "") throw new TroupeError("invalid_value", "A part of a key must not be empty.");
  // Two parts with different unpaired surrogates would become the same bytes.
  if (!part.isWellFormed()) throw new TroupeError("invalid_value", "A part of a key must be a well-formed string.");
  return part.replace(/[^\w.:@-]/gu, percentEncode);
}

function percentEncode(character: string): string {
  return Buffer.from(character).toString("hex").toUpperCase().replace(/../g, "%$&");
}
