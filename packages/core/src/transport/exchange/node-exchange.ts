import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import type { Readable, Writable } from "node:stream";
import type { Logger } from "../../base/log/logger.ts";
import { Exchange } from "./exchange.ts";
import type { AnswerHeaders } from "./exchange.ts";
import { requestIdOf } from "./request-id.ts";
import { requestRecordOf } from "./request-record.ts";
import type { RequestRecord } from "./request-record.ts";

/** A request of Node, with the fields that Express, Connect and the host's middleware add to it. */
export type NodeRequest = IncomingMessage & {
  /** The mount path, set by Express. */
  readonly baseUrl?: string;
  /** The target before the mount path was removed, set by Express and Connect. */
  readonly originalUrl?: string;
  /** The protocol of the client's request, set by Express. */
  readonly protocol?: string;
  /** The client's address, set by Express. */
  readonly ip?: string | undefined;
  readonly body?: unknown;
  readonly principal?: unknown;
};

/** Milliseconds for which a client may continue to send a body that is discarded. */
const longestDiscardMs = 2000;

/** An exchange over a request and response of Node, including those of Express, Connect and Fastify. */
export class NodeExchange extends Exchange {
  readonly native: NodeRequest;
  readonly requestId: string;
  readonly logger: Logger;
  readonly method: string;
  readonly path: string;
  readonly search: string;
  readonly headers: IncomingHttpHeaders;
  readonly record: RequestRecord;
  readonly #response: ServerResponse;

  constructor(request: NodeRequest, response: ServerResponse, logger: Logger) {
    super();
    const { method = "GET", headers } = request;
    const target = targetOf(request);
    const [query, end] = [target.indexOf("?"), target.search(/[?#]/)];
    this.native = request;
    this.#response = response;
    this.logger = logger;
    this.method = method;
    this.headers = headers;
    // A request target that is a whole URL may end after its host, without a path.
    this.path = (end === -1 ? target : target.slice(0, end)) || "/";
    this.search = query === -1 ? "" : target.slice(query);
    this.record = requestRecordOf(response);
    this.requestId = requestIdOf(request, response);
  }

  get url(): string {
    return this.native.originalUrl ?? this.native.url ?? "/";
  }

  get basePath(): string {
    const { baseUrl, originalUrl = "", url = "/" } = this.native;
    if (baseUrl !== undefined) return baseUrl;
    return originalUrl.endsWith(url) ? originalUrl.slice(0, -url.length) : "";
  }

  protected get givenPrincipal(): unknown {
    return this.native.principal;
  }

  get isSecure(): boolean {
    const { protocol, socket } = this.native;
    return protocol === undefined ? (socket as { encrypted?: boolean }).encrypted === true : protocol === "https";
  }

  get remoteAddress(): string | undefined {
    const { ip, socket } = this.native;
    return typeof ip === "string" ? ip : socket.remoteAddress;
  }

  get hasBody(): boolean {
    const { headers } = this;
    return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
  }

  get body(): Readable {
    return this.native;
  }

  get parsedBody(): unknown {
    return this.native.body;
  }

  get isBodyComplete(): boolean {
    return this.native.complete;
  }

  get isHeadSent(): boolean {
    return this.#response.headersSent;
  }

  get isEnded(): boolean {
    return this.#response.writableEnded;
  }

  get isFinished(): boolean {
    return this.#response.writableFinished;
  }

  get isDestroyed(): boolean {
    return this.#response.destroyed;
  }

  get isClosed(): boolean {
    return this.#response.closed;
  }

  /** Drops Express's routing closure, which would stay in memory until the answer ends. */
  forgetNext(): void {
    (this.native as { next?: unknown }).next = undefined;
  }

  onClose(listener: () => void): () => void {
    this.#response.once("close", listener);
    return () => this.#response.off("close", listener);
  }

  setHeader(name: string, value: string | number): this {
    this.#response.setHeader(name, value);
    return this;
  }

  removeHeader(name: string): void {
    this.#response.removeHeader(name);
  }

  sendHints(headers: Readonly<Record<string, string>>): void {
    // HTTP/1.0 has no interim responses, such as status 103.
    if (!this.#response.destroyed && this.native.httpVersion !== "1.0") this.#response.writeEarlyHints(headers);
  }

  send(status: number, headers: AnswerHeaders, body?: string | Uint8Array): void {
    this.#response.writeHead(status, headers);
    this.#response.end(body);
  }

  refuse(status: number, headers: AnswerHeaders, { body, isTooLarge }: { body: string; isTooLarge: boolean }): void {
    const mustDiscard = isTooLarge || this.#isHalfRead || this.#isCutOff;
    if (mustDiscard) this.#sendBeforeBodyEnds(status, { ...headers, Connection: "close" }, body);
    else this.send(status, headers, body);
  }

  openStream(status: number, headers: AnswerHeaders): Writable {
    this.#response.writeHead(status, headers);
    if (this.onStream !== undefined) this.onStream();
    return this.#response;
  }

  flushHead(): void {
    if (!this.#response.destroyed) this.#response.flushHeaders();
  }

  destroy(): void {
    this.#response.destroy();
  }

  /**
   * True if a part of the body was read. Node discards a body that was not read at all, but not the rest of such a
   * body.
   */
  get #isHalfRead(): boolean {
    return this.native.readableDidRead && !this.native.complete;
  }

  /** True if Node closes the connection after the answer, although the client is still sending its body. */
  get #isCutOff(): boolean {
    return !this.native.complete && this.#response.getHeader("Connection") === "close";
  }

  /**
   * Answers while the client is still sending, then closes the connection. Closing a connection with unread bytes
   * resets it, and the client might lose the answer. Therefore the rest of the body is first read and discarded for a
   * short time.
   */
  #sendBeforeBodyEnds(status: number, headers: AnswerHeaders, body: string): void {
    const [request, response] = [this.native, this.#response];
    response.writeHead(status, headers);
    if (request.complete) {
      response.end(body);
      return;
    }
    response.write(body);
    const end = (): void => {
      clearTimeout(timer);
      request.off("end", end).off("close", end);
      response.end();
    };
    const timer = setTimeout(end, longestDiscardMs);
    request.on("end", end).on("close", end).resume();
  }
}

/** Returns the target below the mount path. If the target is a whole URL, the path follows the host. */
function targetOf({ url = "/" }: NodeRequest): string {
  return url.startsWith("/") ? url : url.replace(/^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i, "");
}
