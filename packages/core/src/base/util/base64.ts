import { setImmediate } from "node:timers/promises";

/** Number of base64 characters that are checked in one piece: a multiple of four. */
const sliceLength = 1_048_576;

/** Number of base64 characters that are checked before yielding to the event loop, a few milliseconds of work. */
const stepLength = 4 * sliceLength;

/** Maximum length of strings that are checked by a regular expression, which is faster for short strings. */
const longestShort = 4096;

const base64Form = /^[A-Za-z0-9+/]+={0,2}$/;

/**
 * Returns true if a string is base64 of the standard alphabet: without white space, with or without padding. The number
 * of digits is not checked in a string of up to 4096 characters. A longer string is checked by Node's decoder, which is
 * several times as fast as a regular expression.
 */
export function isTidyBase64(text: string): boolean {
  if (text.length <= longestShort) return base64Form.test(text);
  for (let at = 0; at < text.length; at += sliceLength) if (!isBase64Slice(text, at)) return false;
  return true;
}

/** Checks a long string as `isTidyBase64` does, in steps that yield to the event loop. */
export async function isTidyBase64InSteps(text: string): Promise<boolean> {
  for (let at = 0; at < text.length; at += stepLength) {
    await setImmediate();
    const end = Math.min(at + stepLength, text.length);
    for (let slice = at; slice < end; slice += sliceLength) if (!isBase64Slice(text, slice)) return false;
  }
  return text !== "";
}

/**
 * Returns true if a slice of a string is base64. The decoder skips invalid characters, so its result is then too short.
 * It also accepts the URL-safe alphabet, which is excluded separately.
 */
function isBase64Slice(text: string, at: number): boolean {
  const slice = text.slice(at, at + sliceLength);
  if (slice.includes("-") || slice.includes("_")) return false;
  const isLast = at + sliceLength >= text.length;
  const digits = isLast ? slice.length - paddingOf(slice) : slice.length;
  if (digits % 4 === 1 || (!isLast && slice.endsWith("="))) return false;
  return Buffer.from(slice, "base64").length === Math.floor((digits * 3) / 4);
}

function paddingOf(base64: string): number {
  return base64.endsWith("==") ? 2 : Number(base64.endsWith("="));
}

/** Returns the number of bytes that padded base64 encodes. */
export function base64ByteLength(base64: string): number {
  return Math.floor(base64.length / 4) * 3 - paddingOf(base64);
}
