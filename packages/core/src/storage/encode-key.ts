import { TroupeError } from "../errors/troupe-error.ts";

/** The largest number that a key can carry: what 12 digits hold. */
const maxSequence = 999_999_999_999;

/**
 * Joins parts to a key: `/` between them, and each percent-encoded outside `[A-Za-z0-9_.:@-]`, so that different parts
 * never make the same key and a part holds no `/`. A number is a sequence number: 12 digits, so that keys sort by it.
 * `.` and `..` are parts like any other; an empty part is refused.
 */
export function encodeKey(...parts: readonly (string | number)[]): string {
  return parts.map((part) => (typeof part === "number" ? encodeSequence(part) : encodePart(part))).join("/");
}

/** Gives the parts of a key back. Sequence numbers come as their 12 digits. */
export function decodeKey(key: string): string[] {
  try {
    return key.split("/").map(decodeURIComponent);
  } catch {
    throw new TroupeError("invalid_value", "The key was not made by encodeKey: its percent-encoding is broken.");
  }
}

/** Writes a sequence number so that the order of the texts is the order of the numbers. */
export function encodeSequence(sequence: number): string {
  if (Number.isInteger(sequence) && sequence >= 0 && sequence <= maxSequence) return String(sequence).padStart(12, "0");
  throw new TroupeError(
    "invalid_value",
    `A sequence number must be whole and from 0 to ${maxSequence}, got ${sequence}.`,
  );
}

/** Reads a sequence number; any other text gives `undefined`. */
export function decodeSequence(text: string): number | undefined {
  return /^\d{12}$/.test(text) ? Number(text) : undefined;
}

function encodePart(part: string): string {
  if (part === "") throw new TroupeError("invalid_value", "A part of a key must not be empty.");
  // Two different unpaired surrogates would be the same bytes.
  if (!part.isWellFormed()) throw new TroupeError("invalid_value", "A part of a key must be well-formed text.");
  return part.replace(/[^\w.:@-]/gu, percentEncode);
}

function percentEncode(character: string): string {
  return Buffer.from(character).toString("hex").toUpperCase().replace(/../g, "%$&");
}
