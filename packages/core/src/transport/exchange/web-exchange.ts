import type { IncomingHttpHeaders } from "node:http";
import { Readable } from "node:stream";
import type { Writable } from "node:stream";
import type { Logger } from "../../base/log/logger.ts";
import { Exchange } from "./exchange.ts";
import type { AnswerHeaders } from "./exchange.ts";
import { requestIdHeader, toRequestId } from "./request-id.ts";
import type { RequestRecord } from "./request-record.ts";
import { WebBody } from "./web-body.ts";

/** Statuses whose answers have no body. */
const bodiless = [204, 205, 304];

/** Headers of a single connection, which a web-standard server sets itself. */
const connectionHeaders = ["connection", "content-length"];

/**
 * An exchange over a web-standard `Request`. Its answer is a `Response` whose body is produced as fast as the client
 * reads it.
 */
export class WebExchange extends Exchange {
  readonly native: Request;
  readonly requestId: string;
  readonly logger: Logger;
  readonly method: string;
  readonly url: string;
  readonly path: string;
  readonly basePath: string;
  readonly search: string;
  readonly isSecure: boolean;
  readonly headers: IncomingHttpHeaders;
  readonly hasBody: boolean;
  readonly parsedBody = undefined;
  readonly record: RequestRecord = {};
  /** The client's address, if the platform passes it on. */
  remoteAddress: string | undefined;
  /** Always undefined: a web-standard request has no field in which a host could set the user. */
  protected readonly givenPrincipal = undefined;
  readonly #answer = Promise.withResolvers<Response>();
  readonly #headers = new Map<string, readonly [name: string, value: string]>();
  readonly #closeListeners = new Set<() => void>();
  #body: Readable | undefined;
  #stream: WebBody | undefined;
  #isHeadSent = false;
  #isEnded = false;
  #isFinished = false;
  #isClosed = false;

  constructor(request: Request, logger: Logger, basePath = "") {
    super();
    const { pathname, search, protocol } = new URL(request.url);
    this.native = request;
    this.logger = logger;
    this.method = request.method;
    this.url = request.url;
    this.basePath = basePath;
    this.path = `${pathname}/`.startsWith(`${basePath}/`) ? pathname.slice(basePath.length) || "/" : "";
    this.search = search;
    this.isSecure = protocol === "https:";
    this.headers = Object.fromEntries(request.headers);
    this.hasBody = request.body !== null && isAnnounced(this.headers);
    this.requestId = toRequestId(this.headers["x-request-id"]);
    this.setHeader(requestIdHeader, this.requestId);
    if (request.signal.aborted) this.#leave();
    else request.signal.addEventListener("abort", this.#leave, { once: true });
  }

  /** Resolves with the answer once its head is complete. */
  get answer(): Promise<Response> {
    return this.#answer.promise;
  }

  get body(): Readable {
    return (this.#body ??= this.#openBody());
  }

  get isBodyComplete(): boolean {
    return !this.hasBody || this.body.readableEnded;
  }

  get isHeadSent(): boolean {
    return this.#isHeadSent;
  }

  get isEnded(): boolean {
    return this.#isEnded || this.#stream?.writableEnded === true;
  }

  get isFinished(): boolean {
    return this.#isFinished;
  }

  get isDestroyed(): boolean {
    return this.#isClosed || this.#stream?.destroyed === true;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  onClose(listener: () => void): () => void {
    this.#closeListeners.add(listener);
    return () => this.#closeListeners.delete(listener);
  }

  setHeader(name: string, value: string | number): this {
    this.#headers.set(name.toLowerCase(), [name, String(value)]);
    return this;
  }

  removeHeader(name: string): void {
    this.#headers.delete(name.toLowerCase());
  }

  sendHints(): void {
    // Web-standard servers cannot send interim responses.
  }

  send(status: number, headers: AnswerHeaders, body?: string | Uint8Array): void {
    const isEmpty = this.method === "HEAD" || bodiless.includes(status) || body === undefined;
    this.#isEnded = true;
    this.#sendHead(status, headers, isEmpty ? null : body);
    this.#isFinished = true;
    // The end is reported in a microtask, as Node does it: a response of Node never emits `close` during the call of
    // `send`.
    queueMicrotask(() => this.#close());
  }

  refuse(status: number, headers: AnswerHeaders, { body }: { body: string }): void {
    this.send(status, headers, body);
  }

  openStream(status: number, headers: AnswerHeaders): Writable {
    const stream = new WebBody();
    this.#stream = stream;
    stream.once("finish", () => (this.#isFinished = true));
    stream.once("close", () => this.#close());
    this.#sendHead(status, headers, stream.readable);
    if (this.onStream !== undefined) this.onStream();
    // No reader will arrive, because the client has already disconnected.
    if (this.#isClosed) stream.leave();
    return stream;
  }

  flushHead(): void {
    // Nothing to do: the server received the head together with the `Response`.
  }

  destroy(): void {
    if (this.#stream === undefined) this.#leave();
    else this.#stream.destroy();
  }

  #sendHead(status: number, headers: AnswerHeaders, body: ConstructorParameters<typeof Response>[0]): void {
    for (const [name, value] of Object.entries(headers)) this.setHeader(name, value);
    this.#isHeadSent = true;
    const sent = [...this.#headers]
      .filter(([name]) => !connectionHeaders.includes(name))
      .map(([, header]) => [...header]);
    this.#answer.resolve(new Response(body, { status, headers: sent as [string, string][] }));
  }

  readonly #leave = (): void => {
    // This answer has no reader. 499 is the customary status for a client that disconnected.
    if (!this.#isHeadSent) this.#answer.resolve(new Response(null, { status: 499 }));
    if (this.#stream === undefined) this.#close();
    else this.#stream.leave();
  };

  #close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    // The body is not cancelled: Node's adapter may still add bytes to it, which would throw and end the process.
    this.native.signal.removeEventListener("abort", this.#leave);
    for (const listener of this.#closeListeners) listener();
    this.#closeListeners.clear();
  }

  /** Opens the body once. A body that the host has already read is empty. */
  #openBody(): Readable {
    const { body, bodyUsed } = this.native;
    if (body === null || bodyUsed) return Readable.from([]);
    const stream = Readable.fromWeb(body);
    // Readers of the body receive its errors themselves. This listener is for a body that fails when it is no longer
    // read.
    return stream.on("error", () => undefined);
  }
}

/**
 * Returns true if the headers announce a body. Some servers give every POST a body stream, which is empty unless a
 * header announces it.
 */
function isAnnounced(headers: IncomingHttpHeaders): boolean {
  if (headers["content-length"] === "0") return false;
  return ["content-length", "transfer-encoding", "content-type"].some((name) => headers[name] !== undefined);
}
