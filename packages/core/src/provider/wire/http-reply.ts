import { TroupeError } from "../../base/errors/troupe-error.ts";
import { readReplyHeader } from "./reply.ts";
import type { RawHeaders } from "./reply.ts";

/** Bytes of a body in order of arrival, to be read once. Leaving early closes the connection. */
export type ReplyBody = AsyncIterableIterator<Uint8Array, undefined>;

/** Headers of an `HttpReply`, found by name in lower case. The standard `Headers` are such headers too. */
export interface ReplyHeaders extends Iterable<[string, string]> {
  get(name: string): string | null;
}

/** Reply to an HTTP request. Its body is read once: as `bytes`, or as `text()`. */
export interface HttpReply {
  readonly status: number;
  readonly headers: ReplyHeaders;
  /** The body in order of arrival. A slow reader slows the sender down, and leaving early closes the connection. */
  readonly bytes: ReplyBody;
  /** Reads the whole body as UTF-8, without a byte order mark. */
  text(): Promise<string>;
}

/** Makes an `HttpReply` whose headers are parsed on first use. */
export function toHttpReply(status: number, headers: RawHeaders, bytes: ReplyBody): HttpReply {
  return { status, headers: new LazyHeaders(headers), bytes, text: () => readBodyText(bytes) };
}

class LazyHeaders implements ReplyHeaders {
  readonly #received: RawHeaders;

  constructor(received: RawHeaders) {
    this.#received = received;
  }

  get(name: string): string | null {
    return readReplyHeader(this.#received, name) ?? null;
  }

  *[Symbol.iterator](): Generator<[string, string], void, undefined> {
    for (const name of Object.keys(this.#received)) yield [name, this.get(name) ?? ""];
  }
}

/**
 * Options of `readBodyText`: bytes that were read before, the maximum number of bytes, and the error of a longer body.
 */
type BodyText = { first?: Uint8Array; maxBytes?: number; tooLarge?: (maxBytes: number) => Error };

/**
 * Reads bytes to their end as one UTF-8 string without a byte order mark. If the body has more than `maxBytes`, stops
 * reading and throws `tooLarge`.
 */
export async function readBodyText(
  bytes: AsyncIterable<Uint8Array>,
  { first, maxBytes = Infinity, tooLarge = moreThan }: BodyText = {},
): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const take = (chunk: Uint8Array): void => {
    size += chunk.length;
    if (size > maxBytes) throw tooLarge(maxBytes);
    chunks.push(chunk);
  };
  if (first !== undefined) take(first);
  for await (const chunk of bytes) take(chunk);
  const text = Buffer.concat(chunks).toString("utf8");
  return text.startsWith("\uFEFF") ? text.slice(1) : text;
}

function moreThan(maxBytes: number): Error {
  return new TroupeError("invalid_value", `The body has more than ${maxBytes} bytes.`);
}
