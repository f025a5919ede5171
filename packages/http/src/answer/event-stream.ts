import { encodeSseComment, SseWriter } from "@troupe/core/adapter";
import type { Response } from "express";

/** `no-transform` keeps compression away, and the last one keeps proxies from gathering what is to go out at once. */
const head = {
  "Content-Type": "text/event-stream; charset=utf-8",
  "Cache-Control": "no-store, no-transform",
  "X-Accel-Buffering": "no",
};

const heartbeat = encodeSseComment("heartbeat");

/**
 * A response as a stream of numbered events. Its head goes out with the first event, or with the first heartbeat when that
 * comes before: what fails until then is told with a status of its own. What is sent when nobody reads any more is dropped.
 */
export class EventStream {
  readonly #response: Response;
  readonly #heartbeatMs: number;
  #firstBeat: NodeJS.Timeout | undefined;
  #writer: SseWriter | undefined;
  #count = 0;

  constructor(response: Response, heartbeatMs: number) {
    this.#response = response;
    this.#heartbeatMs = heartbeatMs;
    this.#firstBeat = setTimeout(() => this.beat(), heartbeatMs).unref();
  }

  /** Whether its head has gone out. */
  get isOpen(): boolean {
    return this.#writer !== undefined;
  }

  /** Sends JSON as an event. Gives nothing when there is room for more, else a promise of room that rejects when the reader leaves. */
  send(json: string): Promise<void> | undefined {
    const writer = this.#open();
    if (writer === undefined || writer.closed) return undefined;
    // By hand, for it is done for each chunk: JSON has no line break that would have to be looked for.
    return writer.write(`id: ${++this.#count}\ndata: ${json}\n\n`);
  }

  /** Sends a comment, which readers ignore, unless the reader is behind. */
  beat(): void {
    const writer = this.#open();
    if (writer?.closed === false && !this.#response.writableNeedDrain) void writer.write(heartbeat);
  }

  /** Sends what was taken, and ends the response. */
  close(): void {
    void this.#open()?.close();
  }

  /** The response is somebody else's to send, as long as nothing of this one was. */
  abandon(): void {
    clearTimeout(this.#firstBeat);
    this.#firstBeat = undefined;
  }

  #open(): SseWriter | undefined {
    if (this.#writer !== undefined) return this.#writer;
    this.abandon();
    if (this.#response.destroyed) return undefined;
    this.#response.writeHead(200, head);
    this.#writer = new SseWriter(this.#response, { heartbeatMs: this.#heartbeatMs });
    return this.#writer;
  }
}
