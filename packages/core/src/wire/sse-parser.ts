import { ByteLines } from "./byte-lines.ts";
import { positiveInteger } from "./positive-integer.ts";
import { defaultMaxEventBytes } from "./read-options.ts";
import type { ReadOptions } from "./read-options.ts";

/** One server-sent event. `id` and `retry` are the stream's last ones as of this event, also when an earlier event named them. */
export interface SseEvent {
  /** Absent for events of the default type. */
  event?: string;
  data: string;
  id?: string;
  /** Milliseconds to wait before connecting again. */
  retry?: number;
}

const colon = 0x3a;
const space = 0x20;
const fieldNames = ["data", "event", "id", "retry"] as const;

type FieldName = (typeof fieldNames)[number];

/**
 * Reads server-sent events from bytes as the HTML standard says, however the bytes are cut. Underneath `readSse`, for
 * those who want the events of a chunk without a promise for each.
 */
export class SseParser {
  readonly #maxEventBytes: number;
  readonly #lines = new ByteLines("any");
  #eventBytes = 0;
  #data: string | undefined;
  #type = "";
  #id = "";
  #retry: number | undefined;

  constructor({ maxEventBytes = defaultMaxEventBytes }: Pick<ReadOptions, "maxEventBytes"> = {}) {
    this.#maxEventBytes = positiveInteger("maxEventBytes", maxEventBytes);
  }

  /** True when the bytes so far end inside an event, which a stream that ends here never finished. */
  get isInsideEvent(): boolean {
    return this.#eventBytes > 0 || this.#lines.unfinishedBytes > 0;
  }

  /**
   * Reads the next chunk, as its events are asked for: take all of them before the next chunk.
   *
   * @yields the events that are whole with this chunk
   */
  *push(chunk: Uint8Array): Generator<SseEvent, void, undefined> {
    this.#lines.feed(chunk);
    while (this.#lines.next(this.#maxEventBytes - this.#eventBytes)) {
      if (this.#lines.start < this.#lines.end) this.#readField();
      else if (this.#data === undefined) this.#startEvent();
      else yield this.#finishEvent(this.#data);
    }
  }

  #readField(): void {
    const { bytes, start, end } = this.#lines;
    if (bytes[start] === colon) return;
    // What is ignored counts too, comments aside: only a blank line ends an event.
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

// By bytes: to make text of each name would cost more than all the rest of reading.
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
  // With no encoding named, Node goes the short way to UTF-8; it halves the cost of an event.
  return valueStart < end ? bytes.toString(undefined, valueStart, end) : "";
}
