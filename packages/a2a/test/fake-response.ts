import { EventEmitter } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createLogger } from "@troupe/core";
import { NodeExchange } from "@troupe/core/transport";

/** A response without a network, which keeps what it is sent, and closes once it is ended or its client leaves. */
export class FakeResponse extends EventEmitter {
  destroyed = false;
  closed = false;
  writableEnded = false;
  writableFinished = false;
  writableNeedDrain = false;
  headersSent = false;
  /** The text that was sent. */
  text = "";
  /** The number of pieces that were sent after the client had left. */
  sentInVain = 0;
  readonly #onFull: (() => Promise<void>) | undefined;

  /** `onFull`: waits until the client of a slow connection has read what it was sent. */
  constructor(onFull?: () => Promise<void>) {
    super();
    this.#onFull = onFull;
  }

  /** The exchange of this response, to a request. */
  exchange(request: object = { headers: {}, url: "/", method: "POST", socket: {} }): NodeExchange {
    const logger = createLogger({ level: "silent" });
    return new NodeExchange(request as IncomingMessage, this as unknown as ServerResponse, logger);
  }

  getHeader(): undefined {
    return undefined;
  }

  setHeader(): this {
    return this;
  }

  writeHead(_status: number, _headers: object): this {
    this.headersSent = true;
    return this;
  }

  write(text: string): boolean {
    this.#take(text);
    if (this.#onFull === undefined) return true;
    this.writableNeedDrain = true;
    void this.#drain(this.#onFull());
    return false;
  }

  end(text = ""): this {
    this.#take(text);
    this.writableEnded = true;
    // As a response of Node does it, not within the call.
    process.nextTick(() => {
      if (this.closed) return;
      this.writableFinished = true;
      this.emit("finish");
      this.#close();
    });
    return this;
  }

  /** The client leaves. */
  destroy(): void {
    if (this.closed) return;
    this.destroyed = true;
    this.#close();
  }

  async #drain(read: Promise<void>): Promise<void> {
    await read;
    this.writableNeedDrain = false;
    this.emit("drain");
  }

  #take(text: string): void {
    if (this.destroyed || this.writableEnded) this.sentInVain += 1;
    this.text += text;
  }

  #close(): void {
    this.closed = true;
    this.emit("close");
  }
}
