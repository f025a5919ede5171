import { encodeSseComment } from "../../provider/wire/encode-sse.ts";
import { SseWriter } from "../../provider/wire/sse-writer.ts";
import type { Writable } from "node:stream";

/** Headers of every stream. `no-transform` prevents compression; `X-Accel-Buffering` prevents buffering by proxies. */
export const sseHeaders = {
  "Content-Type": "text/event-stream; charset=utf-8",
  "Cache-Control": "no-store, no-transform",
  "X-Accel-Buffering": "no",
};

const heartbeat = encodeSseComment("heartbeat");

/**
 * Milliseconds after which the head of a stream is sent even without an event, so that the client gets the ids of its
 * run.
 */
const longestWithoutHeadMs = 1000;

/** The part of an exchange (an HTTP request and its answer) over which a stream is sent. */
export type StreamedExchange = {
  readonly isDestroyed: boolean;
  openStream(status: number, headers: Readonly<Record<string, string>>): Writable;
  flushHead(): void;
};

/** Options of an event stream. */
export type EventStreamOptions = {
  heartbeatMs: number;
  /** The signal of the run. When it aborts, every wait for a slow reader ends. */
  signal: AbortSignal;
};

/**
 * An answer written as a stream of numbered server-sent events. The response head is sent with the first event or
 * heartbeat, or after a second; an earlier failure can still be answered with an error status. Events for a client
 * that has disconnected are dropped.
 */
export class EventStream {
  readonly #exchange: StreamedExchange;
  readonly #options: EventStreamOptions;
  #headTimer: NodeJS.Timeout | undefined;
  #writer: SseWriter | undefined;
  #count = 0;

  constructor(exchange: StreamedExchange, options: EventStreamOptions) {
    this.#exchange = exchange;
    this.#options = options;
    // Only the first heartbeat is sent here; the stream's writer sends the later heartbeats.
    const { heartbeatMs } = options;
    const isHeartbeat = heartbeatMs <= longestWithoutHeadMs;
    const begin = isHeartbeat ? () => void this.#open()?.write(heartbeat) : () => this.sendHead();
    this.#headTimer = setTimeout(begin, isHeartbeat ? heartbeatMs : longestWithoutHeadMs).unref();
  }

  /** True once the head of the response is sent. */
  get isHeadSent(): boolean {
    return this.#writer !== undefined;
  }

  /** Sends the response head without waiting for an event. After that, a failure can only be sent as an event. */
  sendHead(): void {
    this.#open();
    this.#exchange.flushHead();
  }

  /**
   * Sends an event. Its id is its number by default; with `null` no id is sent. `name` is sent as the event's name.
   * Returns a promise if the client reads too slowly: await it before the next event. The promise never rejects.
   */
  send(event: object, id: string | number | null = ++this.#count, name?: string): Promise<void> | undefined {
    const writer = this.#open();
    if (writer === undefined || writer.closed) return undefined;
    // The JSON contains no line breaks, so the event needs only one `data` line.
    const head = name === undefined ? "" : `event: ${name}\n`;
    const drained = writer.write(`${id === null ? "" : `id: ${id}\n`}${head}data: ${JSON.stringify(event)}\n\n`);
    return drained && untilDrained(drained, this.#options.signal);
  }

  /** Sends the remaining events and, if given, a last line of data, and ends the answer. */
  close(lastData?: string): void {
    const writer = this.#open();
    if (lastData !== undefined && writer?.closed === false) void writer.write(`data: ${lastData}\n\n`);
    void writer?.close();
  }

  /**
   * Stops without sending anything, so that the exchange can be answered in another way. Allowed only before the head
   * is sent.
   */
  abandon(): void {
    clearTimeout(this.#headTimer);
    this.#headTimer = undefined;
  }

  #open(): SseWriter | undefined {
    if (this.#writer !== undefined) return this.#writer;
    this.abandon();
    if (this.#exchange.isDestroyed) return undefined;
    const stream = this.#exchange.openStream(200, sseHeaders);
    this.#writer = new SseWriter(stream, { heartbeatMs: this.#options.heartbeatMs });
    return this.#writer;
  }
}

/**
 * Waits until the client has read everything or disconnected, or the run is aborted. The next event of the run tells
 * the caller which of these happened.
 */
async function untilDrained(drained: Promise<void>, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => {
    const goOn = () => {
      signal.removeEventListener("abort", goOn);
      resolve();
    };
    signal.addEventListener("abort", goOn, { once: true });
    drained.then(goOn, goOn);
  });
}
