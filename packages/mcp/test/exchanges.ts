import { EventEmitter } from "node:events";
import type { ServerResponse } from "node:http";
import { createLogger } from "@troupe/core";
import { NodeExchange } from "@troupe/core/transport";
import type { NodeRequest } from "@troupe/core/transport";

/** A response of Node that is written at once, and closed when a test says so. */
export class FakeResponse extends EventEmitter {
  headersSent = false;
  destroyed = false;
  closed = false;
  writableEnded = false;
  writableFinished = false;
  status = 0;
  body = "";
  setHeader = () => this;
  getHeader = () => undefined;
  flushHeaders = () => {};
  write = () => true;
  writeHead(status: number): this {
    this.headersSent = true;
    this.status = status;
    return this;
  }
  end(body = ""): this {
    this.body += body;
    this.writableEnded = true;
    return this;
  }
  destroy(): this {
    return this;
  }
  /** Closes the connection, after the response was sent or before. */
  close(writableFinished: boolean): void {
    this.writableFinished = writableFinished;
    this.destroyed = true;
    this.closed = true;
    this.emit("close");
  }
}

const silent = createLogger({ level: "silent" });

/** Makes an exchange of a request whose body the host has read, over a response without a network. */
export function exchangeOf(
  request: object,
  response: FakeResponse = new FakeResponse(),
  logger = silent,
): NodeExchange {
  const asked = { method: "POST", url: "/", headers: {}, body: { method: "ping" }, complete: true, ...request };
  return new NodeExchange(asked as unknown as NodeRequest, response as unknown as ServerResponse, logger);
}
