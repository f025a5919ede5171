import { setImmediate } from "node:timers/promises";

/** Characters that are looked at at once: whole groups of four. */
const sliceLength = 1_048_576;

/** Characters that are looked at before the event loop goes on, a few milliseconds of work. */
const stepLength = 4 * sliceLength;

/** Strings up to here are checked by a regular expression, which is the quicker way for them. */
const longestShort = 4096;

const base64Form = /^[A-Za-z0-9+/]+={0,2}$/;

/**
 * Tells if a string is base64 of the standard alphabet: without white space, with or without padding. A long string is
 * checked by Node's decoder, several times as fast as a regular expression.
 */
export function isTidyBase64(text: string): boolean {
  if (text.length <= longestShort) return base64Form.test(text);
  for (let at = 0; at < text.length; at += sliceLength) if (!isBase64Slice(text, at)) return false;
  return true;
}

/** Tells what `isTidyBase64` tells of a long string, in steps between which the event loop goes on. */
export async function isTidyBase64InSteps(text: string): Promise<boolean> {
  for (let at = 0; at < text.length; at += stepLength) {
    await setImmediate();
    const end = Math.min(at + stepLength, text.length);
    for (let slice = at; slice < end; slice += sliceLength) if (!isBase64Slice(text, slice)) return false;
  }
  return text !== "";
}

/**
 * Tells if a slice of a string is base64. The decoder leaves out what is none, so its result is shorter then; only the
 * URL-safe alphabet it takes, too.
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

/** Returns the number of bytes that base64 with its padding stands for. */
export function base64ByteLength(base64: string): number {
  return Math.floor(base64.length / 4) * 3 - paddingOf(base64);
}
