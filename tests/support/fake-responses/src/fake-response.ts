import { EventEmitter } from "node:events";
import type { Response } from "express";

/** A response without a network, which is closed once it is ended or its client leaves. */
export class FakeResponse extends EventEmitter {
  destroyed = false;
  closed = false;
  writableFinished = false;
  headersSent = false;
  /** The number of writes after the client had disconnected. */
  sentInVain = 0;
  ends = 0;
  readonly socket = undefined;

  /** The response as the code takes it. */
  get asResponse(): Response {
    return this as unknown as Response;
  }

  getHeader(name?: string): unknown {
    return name === "X-Request-Id" ? "q1" : undefined;
  }

  setHeader(): this {
    return this;
  }

  removeHeader(): void {
    // It has none.
  }

  writeEarlyHints(): void {
    this.#note();
  }

  writeHead(): this {
    this.#note();
    this.headersSent = true;
    return this;
  }

  flushHeaders(): void {
    this.headersSent = true;
  }

  write(): boolean {
    this.#note();
    return true;
  }

  end(): this {
    this.#note();
    this.ends += 1;
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
  leave(): void {
    if (this.closed) return;
    this.destroyed = true;
    this.#close();
  }

  /** The server cuts the connection off. */
  destroy(): this {
    this.leave();
    return this;
  }

  #note(): void {
    if (this.destroyed) this.sentInVain += 1;
  }

  #close(): void {
    if (this.closed) return;
    this.closed = true;
    this.emit("close");
  }
}
