import { abortableIterable, abortedReadError } from "../../base/async/abortable-iterable.ts";
import { ByteLines, readMaxEventBytes } from "./byte-lines.ts";
import type { EventReadOptions } from "./byte-lines.ts";

/** One server-sent event. `id` and `retry` are the stream's latest values, even if an earlier event set them. */
export interface SseEvent {
  /** The type of the event; absent for the default type. */
  event?: string;
  data: string;
  id?: string;
  /** Milliseconds to wait before reconnecting. */
  retry?: number;
}

/** End of a stream of events: the return value of the generator, for readers that drive the iterator themselves. */
export interface SseEnd {
  /** True if the bytes ended inside an event, which was not yielded. */
  isCut: boolean;
}

/**
 * Reads server-sent events from chunks of bytes. Leaving the loop early releases the source. Throws `invalid_value` for
 * an event larger than `maxEventBytes`, and `cancelled` if the signal aborts. Errors of the source are passed on. The
 * parser is our own because it limits an event's size and distinguishes a truncated stream from a finished stream.
 *
 * @yields each event as soon as its blank line has arrived
 */
export async function* readSse(
  bytes: AsyncIterable<Uint8Array>,
  { signal, ...limits }: EventReadOptions = {},
): AsyncGenerator<SseEvent, SseEnd, undefined> {
  const parser = new SseParser(limits);
  for await (const chunk of abortableIterable(bytes, signal)) {
    for (const event of parser.push(chunk)) {
      if (signal?.aborted) throw abortedReadError(signal);
      yield event;
    }
  }
  return { isCut: parser.isInsideEvent };
}

const colon = 0x3a;
const space = 0x20;
const fieldNames = ["data", "event", "id", "retry"] as const;

type FieldName = (typeof fieldNames)[number];

/**
 * Parser of server-sent events by the HTML standard. `readSse` uses it. Use the parser directly to read a chunk without
 * a promise for each event.
 */
export class SseParser {
  readonly #maxEventBytes: number;
  readonly #lines = new ByteLines("any");
  #eventBytes = 0;
  #data: string | undefined;
  #type = "";
  #id = "";
  #retry: number | undefined;

  constructor(limits: Pick<EventReadOptions, "maxEventBytes"> = {}) {
    this.#maxEventBytes = readMaxEventBytes(limits);
  }

  /** True if the bytes so far end inside an event. */
  get isInsideEvent(): boolean {
    return this.#eventBytes > 0 || this.#lines.unfinishedBytes > 0;
  }

  /**
   * Reads a chunk lazily: take all of its events before the next chunk.
   *
   * @yields the events that this chunk completes
   */
  *push(chunk: Uint8Array): Generator<SseEvent, void, undefined> {
    this.feed(chunk);
    for (let event = this.next(); event !== undefined; event = this.next()) yield event;
  }

  /** Adds the next chunk of bytes, for `next`. Call it after `next` has returned undefined. */
  feed(chunk: Uint8Array): void {
    this.#lines.feed(chunk);
  }

  /** Returns the next event that the bytes so far complete; undefined if no event is complete yet. */
  next(): SseEvent | undefined {
    while (this.#lines.next(this.#maxEventBytes - this.#eventBytes)) {
      if (this.#lines.start < this.#lines.end) this.#readField();
      else if (this.#data === undefined) this.#startEvent();
      else return this.#finishEvent(this.#data);
    }
    return undefined;
  }

  /** Returns the last event if its blank line never arrived, after all bytes have been read; otherwise `undefined`. */
  end(): SseEvent | undefined {
    if (this.#lines.last()) this.#readField();
    return this.#data === undefined ? undefined : this.#finishEvent(this.#data);
  }

  #readField(): void {
    const { bytes, start, end } = this.#lines;
    if (bytes[start] === colon) return;
    // Ignored fields count towards an event's size, but comments do not: only a blank line ends an event.
    this.#eventBytes += end - start;
    const name = findName(bytes, start, end);
    if (name !== undefined) this.#setField(name, readValue(bytes, start + name.length + 1, end));
  }

  #setField(name: FieldName, value: string): void {
    switch (name) {
      case "data":
        this.#data = this.#data === undefined ? value : `${this.#data}\n${value}`;
        break;
      case "event":
        this.#type = value;
        break;
      case "id":
        if (!value.includes("\0")) this.#id = value;
        break;
      case "retry":
        if (/^[0-9]+$/.test(value)) this.#retry = Number(value);
        break;
    }
  }

  #finishEvent(data: string): SseEvent {
    const event: SseEvent = { data };
    if (this.#type !== "") event.event = this.#type;
    if (this.#id !== "") event.id = this.#id;
    if (this.#retry !== undefined) event.retry = this.#retry;
    this.#startEvent();
    return event;
  }

  #startEvent(): void {
    this.#data = undefined;
    this.#type = "";
    this.#eventBytes = 0;
  }
}

// Compares bytes, because making a string of each name would cost more than all other work of the parser.
function findName(bytes: Buffer, start: number, end: number): FieldName | undefined {
  for (const name of fieldNames) {
    const nameEnd = start + name.length;
    const isWhole = nameEnd === end || (nameEnd < end && bytes[nameEnd] === colon);
    if (isWhole && isAt(bytes, start, name)) return name;
  }
  return undefined;
}

function isAt(bytes: Buffer, start: number, name: FieldName): boolean {
  for (let index = 0; index < name.length; index += 1) {
    if (bytes[start + index] !== name.charCodeAt(index)) return false;
  }
  return true;
}

function readValue(bytes: Buffer, start: number, end: number): string {
  const valueStart = bytes[start] === space ? start + 1 : start;
  // Without a named encoding Node uses a faster path to UTF-8.
  return valueStart < end ? bytes.toString(undefined, valueStart, end) : "";
}
