import { TroupeError } from "../../base/errors/troupe-error.ts";
import { ResponseError, TruncatedResponseError } from "../../base/errors/vendor-error.ts";
import { ByteLines } from "./byte-lines.ts";
import type { HttpReply, ReplyBody } from "./http-reply.ts";
import { readAnswer } from "./post-json.ts";
import { SseParser } from "./read-sse.ts";
import type { SseEvent } from "./read-sse.ts";
import { drainReply } from "./reply.ts";

/** Options of `streamEvents`: the format of the stream, and a size limit for one event. */
export type EventFormat = {
  format: "sse" | "ndjson";
  /** Maximum size of one event in bytes. @default 16_777_216 */
  maxEventBytes?: number | undefined;
  /**
   * Maximum size of the stream in bytes, because events without content may also arrive without end. @default
   * 268_435_456
   */
  maxBytes?: number | undefined;
};

/** Events of a vendor that arrived together, parsed. */
export type EventBatch<Event = unknown> = readonly (Event | WholeAnswer)[];

/**
 * A whole answer as JSON instead of the expected stream, which some gateways send. It is the only event of its stream.
 */
export class WholeAnswer {
  readonly body: unknown;

  constructor(body: unknown) {
    this.body = body;
  }
}

/**
 * Reads the events of a streamed answer as JSON objects, in batches as their bytes arrive. In server-sent events,
 * `[DONE]` ends the stream. Blank data and other JSON values are skipped. A last event without its blank line is
 * accepted if its JSON is complete. Where server-sent events were expected, a body that is one JSON object is a
 * `WholeAnswer`, and the elements of a JSON array are the events. Damaged events are a `TruncatedResponseError`, after
 * the events before them. An event, a stream or a body that is too large is a `ResponseError`.
 */
export function streamEvents<Event>(reply: HttpReply, format: EventFormat): AsyncIterableIterator<EventBatch<Event>> {
  return new EventStream(reply, format) as AsyncIterableIterator<EventBatch<Event>, undefined>;
}

/**
 * Parser of one stream format. `read` and `end` append events to `batch`; `read` returns true once the vendor has
 * declared the end of the stream.
 */
interface EventParser {
  read(bytes: Uint8Array, batch: unknown[]): boolean;
  end(batch: unknown[]): void;
}

type NextEvents = IteratorResult<unknown[], undefined>;

/**
 * The iterator over the events of one streamed answer. Not a generator, which would cost more promises for each batch.
 */
class EventStream implements AsyncIterableIterator<unknown[], undefined> {
  readonly #bytes: ReplyBody;
  readonly #parser: EventParser;
  readonly #maxEventBytes: number;
  readonly #maxBytes: number;
  #received = 0;
  #hasBegun = false;
  #isOver = false;
  /** True after the vendor declared the end of the stream, although bytes may follow. */
  #isDeclared = false;
  #failure: { reason: unknown } | undefined;

  constructor(reply: HttpReply, { format, maxEventBytes = 16_777_216, maxBytes = 268_435_456 }: EventFormat) {
    this.#bytes = reply.bytes;
    this.#maxBytes = maxBytes;
    this.#maxEventBytes = maxEventBytes;
    this.#parser = format === "sse" ? new SseJson(maxEventBytes) : new NdJson(maxEventBytes);
    // The body of NDJSON needs no check of its first byte, because each line is an object.
    this.#hasBegun = format === "ndjson";
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
    await (this.#isDeclared ? drainReply(this.#bytes) : this.#bytes.return?.());
    return { done: true, value: undefined };
  }

  readonly #read = (step: IteratorResult<Uint8Array, undefined>): NextEvents | Promise<NextEvents> => {
    if (step.done !== true && !this.#hasBegun) {
      const first = findFirst(step.value);
      if (first === openBrace || first === openBracket) return this.#readWhole(step.value);
      this.#hasBegun = first !== undefined;
    }
    const batch: unknown[] = [];
    try {
      if (step.done === true) this.#end(batch);
      else if (this.#parse(step.value, batch)) this.#isOver = this.#isDeclared = true;
    } catch (reason) {
      // The events of the stream before the failure are delivered first.
      this.#failure = { reason: toFailure(reason, this.#maxEventBytes) };
    }
    return { done: false, value: batch };
  };

  #parse(bytes: Uint8Array, batch: unknown[]): boolean {
    this.#received += bytes.length;
    if (this.#received > this.#maxBytes) throw new ResponseError(`sent a stream of more than ${this.#maxBytes} bytes`);
    return this.#parser.read(bytes, batch);
  }

  #end(batch: unknown[]): void {
    this.#isOver = true;
    this.#parser.end(batch);
  }

  async #readWhole(start: Uint8Array): Promise<NextEvents> {
    this.#isOver = true;
    const body = await readAnswer(this.#bytes, start);
    return { done: false, value: Array.isArray(body) ? body.filter(isObject) : [new WholeAnswer(body)] };
  }
}

const openBrace = 0x7b;
const openBracket = 0x5b;

/** Returns the first byte that is neither white space nor part of a byte order mark. */
function findFirst(bytes: Uint8Array): number | undefined {
  return bytes.find((byte) => byte > 0x20 && byte !== 0xef && byte !== 0xbb && byte !== 0xbf);
}

class SseJson implements EventParser {
  readonly #parser: SseParser;

  constructor(maxEventBytes: number) {
    this.#parser = new SseParser({ maxEventBytes });
  }

  read(bytes: Uint8Array, batch: unknown[]): boolean {
    const parser = this.#parser;
    parser.feed(bytes);
    for (let event = parser.next(); event !== undefined; event = parser.next()) {
      // Nearly every event is an object whose event name adds nothing to its data.
      if (event.data.charCodeAt(0) === openBrace && event.event !== "error") batch.push(JSON.parse(event.data));
      else if (isDone(event.data)) return true;
      else addEvent(event, batch);
    }
    return false;
  }

  end(batch: unknown[]): void {
    const event = this.#parser.end();
    if (event === undefined || isDone(event.data)) return;
    try {
      addEvent(event, batch);
    } catch {
      // The event was truncated. The reader of the answer decides if this is an error.
    }
  }
}

/** Returns true if the data of an event is OpenAI's end mark, in one of the forms that servers send. */
function isDone(data: string): boolean {
  return data.length < 16 && data.charCodeAt(0) !== openBrace && /^\s*"?\[?done\]?"?\s*$/i.test(data);
}

function addEvent({ event: name, data }: SseEvent, batch: unknown[]): void {
  if (data.charCodeAt(0) !== openBrace && data.trim() === "") return;
  const value: unknown = JSON.parse(data);
  if (!isObject(value)) return;
  const isBareError = name === "error" && !("error" in value) && !("type" in value);
  batch.push(isBareError ? { error: value } : value);
}

class NdJson implements EventParser {
  readonly #lines = new ByteLines("line-feed");
  readonly #maxEventBytes: number;

  constructor(maxEventBytes: number) {
    this.#maxEventBytes = maxEventBytes;
  }

  read(bytes: Uint8Array, batch: unknown[]): boolean {
    this.#lines.feed(bytes);
    while (this.#lines.next(this.#maxEventBytes)) this.#addLine(batch);
    return false;
  }

  end(batch: unknown[]): void {
    try {
      if (this.#lines.last()) this.#addLine(batch);
    } catch {
      // The event was truncated. The reader of the answer decides if this is an error.
    }
  }

  #addLine(batch: unknown[]): void {
    const { bytes, start, end } = this.#lines;
    const text = bytes.toString(undefined, start, end).trim();
    if (text === "") return;
    const value: unknown = JSON.parse(text);
    if (isObject(value)) batch.push(value);
  }
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function toFailure(reason: unknown, maxEventBytes: number): unknown {
  if (reason instanceof SyntaxError) return new TruncatedResponseError("sent an event that is not JSON");
  const isTooLarge = TroupeError.is(reason) && reason.code === "invalid_value";
  return isTooLarge ? new ResponseError(`sent an event of more than ${maxEventBytes} bytes`) : reason;
}
