import { encodeSseComment, SseWriter } from "@troupe/core/transport";
import type { Response } from "express";

/**
 * Headers of every stream. `no-transform` keeps compression away, and the last one keeps proxies from holding chunks back.
 */
export const streamHead = {
  "Content-Type": "text/event-stream; charset=utf-8",
  "Cache-Control": "no-store, no-transform",
  "X-Accel-Buffering": "no",
};

const heartbeat = encodeSseComment("heartbeat");

/** Milliseconds after which the head of a stream is sent, also without an event: the client learns the ids of its run. */
const longestWithoutHeadMs = 1000;

/** Options of an event stream. */
export type EventStreamOptions = {
  heartbeatMs: number;
  /** The signal of the run: its abort ends every wait for the reader. */
  signal: AbortSignal;
};

/**
 * A response that is written as a stream of numbered server-sent events. Its head is sent with the first event or
 * heartbeat, or after a second: a failure before that can still be answered with its own status. Events for a client that
 * has disconnected are dropped.
 */
export class EventStream {
  readonly #response: Response;
  readonly #options: EventStreamOptions;
  #headTimer: NodeJS.Timeout | undefined;
  #writer: SseWriter | undefined;
  #count = 0;

  constructor(response: Response, options: EventStreamOptions) {
    this.#response = response;
    this.#options = options;
    // Later heartbeats are the writer's.
    const { heartbeatMs } = options;
    const isHeartbeat = heartbeatMs <= longestWithoutHeadMs;
    const begin = isHeartbeat ? () => void this.#open()?.write(heartbeat) : () => this.sendHead();
    this.#headTimer = setTimeout(begin, isHeartbeat ? heartbeatMs : longestWithoutHeadMs).unref();
  }

  /** True once the head is sent. */
  get isHeadSent(): boolean {
    return this.#writer !== undefined;
  }

  /** Sends the head without waiting for an event. A failure is an event from now on. */
  sendHead(): void {
    this.#open();
    if (!this.#response.destroyed) this.#response.flushHeaders();
  }

  /**
   * Sends an event with its number, or with an id of its own, none if that is `null`. Returns a promise if the reader is
   * behind: await it before the next event. It never rejects.
   */
  send(event: object, id: string | number | null = ++this.#count): Promise<void> | undefined {
    const writer = this.#open();
    if (writer === undefined || writer.closed) return undefined;
    // JSON has no line break that would have to be encoded.
    const drained = writer.write(`${id === null ? "" : `id: ${id}\n`}data: ${JSON.stringify(event)}\n\n`);
    return drained && untilDrained(drained, this.#options.signal);
  }

  /** Sends what is left and, if given, a last line of data, and ends the response. */
  close(lastData?: string): void {
    const writer = this.#open();
    if (lastData !== undefined && writer?.closed === false) void writer.write(`data: ${lastData}\n\n`);
    void writer?.close();
  }

  /** Leaves the response to another answer. Only before the head is sent. */
  abandon(): void {
    clearTimeout(this.#headTimer);
    this.#headTimer = undefined;
  }

  #open(): SseWriter | undefined {
    if (this.#writer !== undefined) return this.#writer;
    this.abandon();
    if (this.#response.destroyed) return undefined;
    this.#response.writeHead(200, streamHead);
    this.#writer = new SseWriter(this.#response, { heartbeatMs: this.#options.heartbeatMs });
    return this.#writer;
  }
}

/** Waits until the reader has caught up or disconnected, or the run is aborted: its next chunk tells which. */
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
