import { crc32 } from "node:zlib";
import { TroupeError } from "@troupe/core";
import type { HttpReply } from "@troupe/core/kit";
import { TruncatedResponseError } from "@troupe/core/provider";
import type { EventBatch, ReplyBody } from "@troupe/core/provider";
import { providerId } from "./options.ts";
import type { WireEvent } from "./wire-types.ts";

/** The largest frame in bytes: AWS allows 16 MB of payload. */
const maxFrameBytes = 17_825_792;
/** The largest stream in bytes, because frames without content may also arrive without end. */
const maxBytes = 268_435_456;
/** Bytes of a frame's prelude: its length, the length of its headers, and the checksum of both. */
const preludeBytes = 12;
/** The number of bytes of the checksum at the end of a frame. */
const checksumBytes = 4;

type NextEvents = IteratorResult<EventBatch<WireEvent>, undefined>;

/**
 * The events of a stream in AWS's binary format (`application/vnd.amazon.eventstream`), in batches as their bytes
 * arrive. A frame with a wrong checksum, and a stream that ends within a frame, are a `TruncatedResponseError`, after
 * the events before them. Not a generator, which would cost more promises for each batch.
 */
export class FrameStream implements AsyncIterableIterator<EventBatch<WireEvent>, undefined> {
  readonly #bytes: ReplyBody;
  #pieces: Uint8Array[] = [];
  #length = 0;
  /** The number of bytes after which the next frame, or its prelude, can be read. */
  #needed = preludeBytes;
  #received = 0;
  #isOver = false;
  #failure: { reason: unknown } | undefined;

  constructor(reply: HttpReply) {
    this.#bytes = reply.bytes;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<NextEvents> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure.reason);
    if (this.#isOver) return Promise.resolve({ done: true, value: undefined });
    return this.#bytes.next().then(this.#read);
  }

  async return(): Promise<NextEvents> {
    this.#isOver = true;
    await this.#bytes.return?.();
    return { done: true, value: undefined };
  }

  readonly #read = (step: IteratorResult<Uint8Array, undefined>): NextEvents => {
    const batch: WireEvent[] = [];
    try {
      if (step.done === true) this.#end();
      else this.#take(step.value, batch);
    } catch (reason) {
      // The events before the failure are delivered first.
      this.#failure = { reason: reason instanceof RangeError ? damaged() : reason };
    }
    return { done: false, value: batch };
  };

  #end(): void {
    this.#isOver = true;
    if (this.#length > 0) throw new TruncatedResponseError("ended the stream within an event");
  }

  #take(piece: Uint8Array, batch: WireEvent[]): void {
    this.#received += piece.byteLength;
    if (this.#received > maxBytes) throw tooLarge("a stream", maxBytes);
    this.#pieces.push(piece);
    this.#length += piece.byteLength;
    if (this.#length >= this.#needed) this.#parse(batch);
  }

  /** Reads all complete frames, and keeps the bytes after them. */
  #parse(batch: WireEvent[]): void {
    const bytes = Buffer.concat(this.#pieces, this.#length);
    let start = 0;
    this.#needed = preludeBytes;
    while (bytes.byteLength - start >= preludeBytes) {
      const length = readLength(bytes.subarray(start, start + preludeBytes));
      if (bytes.byteLength - start < length) {
        this.#needed = length;
        break;
      }
      const event = readFrame(bytes.subarray(start, start + length));
      if (event !== undefined) batch.push(event);
      start += length;
    }
    this.#pieces = [bytes.subarray(start)];
    this.#length = bytes.byteLength - start;
  }
}

function damaged(): TruncatedResponseError {
  return new TruncatedResponseError("sent a damaged event");
}

function tooLarge(what: string, bytes: number): TroupeError {
  return new TroupeError("model_failed", `${providerId} sent ${what} of more than ${bytes} bytes.`, {
    fields: { vendor: providerId },
  });
}

/** Returns the length of a frame by its prelude. */
function readLength(prelude: Buffer): number {
  if (crc32(prelude.subarray(0, 8)) !== prelude.readUInt32BE(8)) throw damaged();
  const length = prelude.readUInt32BE(0);
  if (length > maxFrameBytes) throw tooLarge("an event", maxFrameBytes);
  if (length < preludeBytes + checksumBytes + prelude.readUInt32BE(4)) throw damaged();
  return length;
}

/**
 * Reads the event of a frame. Its payload is undefined if it is not an object, for example for an event without a
 * payload.
 */
function readFrame(frame: Buffer): WireEvent | undefined {
  const end = frame.byteLength - checksumBytes;
  if (crc32(frame.subarray(0, end)) !== frame.readUInt32BE(end)) throw damaged();
  const payloadStart = preludeBytes + frame.readUInt32BE(4);
  const headers = readHeaders(frame.subarray(preludeBytes, payloadStart));
  if (headers.get(":message-type") === "error") {
    const payload = { message: headers.get(":error-message") };
    return { type: headers.get(":error-code"), payload, isException: true };
  }
  const payload = parse(frame.toString("utf8", payloadStart, end));
  const exception = headers.get(":exception-type");
  if (headers.get(":message-type") === "exception") return { type: exception, payload, isException: true };
  return { type: headers.get(":event-type"), payload };
}

function parse(text: string): unknown {
  if (text === "") return undefined;
  try {
    return JSON.parse(text);
  } catch {
    throw new TruncatedResponseError("sent an event that is not JSON");
  }
}

/**
 * Bytes of the values of headers by their type. Values of types 6 and 7 (bytes and strings) are preceded by their
 * length.
 */
const sizes: Readonly<Record<number, number>> = { 0: 0, 1: 0, 2: 1, 3: 2, 4: 4, 5: 8, 8: 8, 9: 16 };
const bytesType = 6;
const stringType = 7;

/** Reads the string headers of a frame; Bedrock sends no headers of other types. */
function readHeaders(bytes: Buffer): Map<string, string> {
  const headers = new Map<string, string>();
  for (let at = 0; at < bytes.byteLength;) {
    const nameEnd = at + 1 + bytes.readUInt8(at);
    const type = bytes.readUInt8(nameEnd);
    const hasLength = type === bytesType || type === stringType;
    const start = nameEnd + 1 + (hasLength ? 2 : 0);
    const size = hasLength ? bytes.readUInt16BE(nameEnd + 1) : sizes[type];
    if (size === undefined || start + size > bytes.byteLength) throw damaged();
    if (type === stringType)
      headers.set(bytes.toString("utf8", at + 1, nameEnd), bytes.toString("utf8", start, start + size));
    at = start + size;
  }
  return headers;
}
