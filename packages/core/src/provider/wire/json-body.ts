import { setImmediate } from "node:timers/promises";
import { createId } from "../../base/util/create-id.ts";
import { isTidyBase64InSteps } from "../../base/util/base64.ts";
import { cutText } from "../../base/util/cut-text.ts";

/** A body that is written in pieces, with its length. It can be read again for a retry. */
export interface PiecewiseBody extends AsyncIterable<Uint8Array> {
  readonly byteLength: number;
}

/** Minimum length of strings, in characters, that are written in pieces if they are base64. */
const longText = 1_048_576;

/** Length of a piece of a JSON body in characters. */
const pieceLength = 262_144;

/** The maximum length of the head of a `data:` URL, up to its comma. */
const longestHead = 256;

/**
 * Encodes a JSON body for a request. A body with large base64 files is encoded piece by piece while it is written. As
 * one string it would block the event loop and be in memory twice.
 */
export function encodeJson(body: unknown): string | Promise<string | PiecewiseBody> {
  return hasLongText(body) ? encodeLong(body) : JSON.stringify(body);
}

/** Returns true if a body is written in pieces. */
export function isPiecewise(body: string | Uint8Array | PiecewiseBody | null | undefined): body is PiecewiseBody {
  return typeof body === "object" && body !== null && Symbol.asyncIterator in body;
}

/** Returns the bytes of a body as one array, for a receiver that accepts no pieces. */
export async function joinBody(body: PiecewiseBody): Promise<Uint8Array> {
  const whole = new Uint8Array(body.byteLength);
  let at = 0;
  for await (const piece of body) {
    whole.set(piece, at);
    at += piece.length;
    await setImmediate();
  }
  return whole;
}

async function encodeLong(body: unknown): Promise<string | PiecewiseBody> {
  const texts: string[] = [];
  // Marks the places of long strings in a copy of the JSON that lacks these strings. No prompt contains this random id.
  const mark = createId();
  // The JSON without the long strings is encoded immediately, so that later changes of the body have no effect. The
  // long strings are not scanned here.
  const outline = JSON.stringify(body, (_, value: unknown) => {
    if (typeof value !== "string" || value.length < longText) return value;
    texts.push(value);
    return mark;
  });
  const [first = "", ...rest] = outline.split(mark);
  let outside = first;
  const around: string[] = [];
  const long: string[] = [];
  // The encoding of a large body continues in the next turn of the event loop.
  await setImmediate();
  for (const [index, text] of texts.entries()) {
    await setImmediate();
    const start = startOfData(text);
    const base64 = text.slice(start);
    const isBase64 = await isTidyBase64InSteps(base64);
    outside += escapeText(isBase64 ? text.slice(0, start) : text);
    if (isBase64) {
      around.push(outside);
      long.push(base64);
      outside = "";
    }
    outside += rest[index] ?? "";
  }
  await setImmediate();
  return long.length === 0 ? outside : new JsonPieces([...around, outside], long);
}

/** Returns the index after the head of a `data:` URL, or 0. */
function startOfData(text: string): number {
  return text.startsWith("data:") ? cutText(text, longestHead).indexOf(",") + 1 : 0;
}

/** Returns a string as it appears between the quotes in JSON. Base64 appears unchanged. */
function escapeText(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

class JsonPieces implements PiecewiseBody {
  readonly byteLength: number;
  /** The JSON around the long strings. It has one more piece than there are long strings. */
  readonly #around: readonly string[];
  /** The long strings in base64, without the head of their `data:` URL. */
  readonly #long: readonly string[];

  constructor(around: readonly string[], long: readonly string[]) {
    this.#around = around;
    this.#long = long;
    const outside = around.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
    this.byteLength = long.reduce((sum, base64) => sum + base64.length, outside);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    for (const [index, text] of this.#around.entries()) {
      yield Buffer.from(text);
      const base64 = this.#long[index] ?? "";
      for (let at = 0; at < base64.length; at += pieceLength) {
        yield Buffer.from(base64.slice(at, at + pieceLength), "latin1");
      }
    }
  }
}

/** Returns true if a JSON value contains a string that may be written in pieces. */
function hasLongText(value: unknown): boolean {
  if (typeof value === "string") return value.length >= longText;
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) return value.some(hasLongText);
  for (const name in value) if (hasLongText((value as Record<string, unknown>)[name])) return true;
  return false;
}
