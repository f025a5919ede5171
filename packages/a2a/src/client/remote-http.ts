import { TroupeError } from "@troupe/core";
import type { RunContext } from "@troupe/core";
import { mergeHeaders, Network } from "@troupe/core/kit";
import { createGuardedFetch } from "@troupe/core/provider";
import type { CallHeaders, HttpReply } from "@troupe/core/kit";
import type { ReplyBody } from "@troupe/core/provider";
import { badForm, RemoteFailure, toRemoteFailure } from "./remote-failure.ts";
import type { RemoteAgentSettings } from "./remote-agent-options.ts";

/** A request to a remote agent, with the user's headers. */
export type RemoteRequest = {
  readonly method: "GET" | "POST";
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly users: CallHeaders | undefined;
  readonly body?: string;
  readonly signal: AbortSignal;
};

/** A whole reply of a remote agent. Its text has at most `maxReplyBytes`. */
export type WholeReply = { status: number; headers: HttpReply["headers"]; text: string };

/** A reply of a remote agent that is read as it arrives. `end` closes it and must be called. */
export type OpenReply = { reply: HttpReply; end(): void };

/**
 * The HTTP client for one remote agent. Origins that the host has configured use the shared connections and get the
 * host's headers. Requests to origins that only a card names are kept from private addresses, and are refused if there
 * are headers. Redirects are never followed.
 */
export class RemoteHttp {
  readonly #network = new Network();
  readonly #headers: RemoteAgentSettings["headers"];
  readonly #trusted: ReadonlySet<string>;
  readonly #maxBytes: number;
  readonly #timeoutMs: number;

  constructor({ url, headers, trustedOrigins, maxReplyBytes, timeoutMs }: RemoteAgentSettings) {
    this.#headers = headers;
    this.#trusted = new Set([url.origin, ...trustedOrigins.map((origin) => new URL(origin).origin)]);
    this.#maxBytes = maxReplyBytes;
    this.#timeoutMs = timeoutMs;
  }

  /** Returns the headers of the option `headers` for one run, or for a request outside of runs. */
  async readHeaders(context: RunContext | undefined, signal?: AbortSignal): Promise<CallHeaders | undefined> {
    const headers = this.#headers;
    if (typeof headers !== "function") return headers;
    return await new Network({ headers: () => headers(context) }).readHeaders(signal);
  }

  /** Returns true if the host has configured the origin of an address. */
  isTrusted({ origin }: URL): boolean {
    return this.#trusted.has(origin);
  }

  /** Sends a request and reads the whole reply. Throws a `RemoteFailure`, or the reason of the signal. */
  async whole(request: RemoteRequest, timeoutMs = this.#timeoutMs): Promise<WholeReply> {
    if (!this.isTrusted(request.url)) return await this.#guarded(request, timeoutMs);
    const wait = new Wait(request.signal, timeoutMs);
    try {
      const reply = await this.#send(request, wait.signal, timeoutMs);
      return { status: reply.status, headers: reply.headers, text: await this.readText(reply.bytes) };
    } catch (error) {
      throw wait.failure(error);
    } finally {
      wait.end();
    }
  }

  /**
   * Sends a request and returns its reply once the head has arrived. Each wait for more bytes has a time limit. Only
   * for trusted origins.
   */
  async open(request: RemoteRequest): Promise<OpenReply> {
    const wait = new Wait(request.signal, this.#timeoutMs);
    try {
      const reply = await this.#send(request, wait.signal, this.#timeoutMs);
      const bytes = new WatchedBytes(reply.bytes, wait);
      return { reply: { ...pick(reply), bytes, text: () => this.readText(bytes) }, end: () => wait.end() };
    } catch (error) {
      wait.end();
      throw wait.failure(error);
    }
  }

  /** Reads a reply's bytes to the end as UTF-8. More than `maxReplyBytes` are a failure. */
  async readText(bytes: AsyncIterable<Uint8Array>): Promise<string> {
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of bytes) {
      size += chunk.length;
      if (size > this.#maxBytes)
        throw badForm(`sent more than ${this.#maxBytes} bytes. Raise maxReplyBytes to take more`);
      chunks.push(chunk);
    }
    return new TextDecoder().decode(Buffer.concat(chunks));
  }

  async #send({ method, url, headers, users, body }: RemoteRequest, signal: AbortSignal, timeoutMs: number) {
    const timeouts = { headersTimeoutMs: timeoutMs, idleTimeoutMs: timeoutMs };
    return await this.#network.send(url, { method, headers: mergeHeaders(headers, users), body, signal, ...timeouts });
  }

  async #guarded({ url, method, headers, users, body, signal }: RemoteRequest, timeoutMs: number): Promise<WholeReply> {
    if (users !== undefined && Object.keys(users).length > 0)
      throw untrusted("at another origin, which must not get headers");
    const send = createGuardedFetch({ maxBytes: this.#maxBytes, timeoutMs, maxRedirects: 0 });
    try {
      const reply = await send(url, { method, headers, signal, ...(body !== undefined && { body }) });
      const text = new TextDecoder().decode(reply.bytes);
      return { status: reply.status, headers: reply.headers, text };
    } catch (error) {
      throw ofGuard(error, this.#maxBytes);
    }
  }
}

function pick({ status, headers }: HttpReply): Pick<HttpReply, "status" | "headers"> {
  return { status, headers };
}

function untrusted(what: string, cause?: unknown): RemoteFailure {
  const happened = `names an endpoint ${what}. Add its origin to trustedOrigins to allow it`;
  return new RemoteFailure("untrusted", { happened, cause });
}

function ofGuard(error: unknown, maxBytes: number): unknown {
  if (!TroupeError.is(error)) return error;
  switch (error.fields["reason"]) {
    case "private_address":
      return untrusted("at an address that is not public", error);
    case "too_many_redirects":
    case "redirected_body":
      return new RemoteFailure("redirect", {
        happened: "answered with a redirect, which is not followed",
        cause: error,
      });
    case "too_large":
      return badForm(`sent more than ${maxBytes} bytes. Raise maxReplyBytes to take more`, error);
    case "unreachable":
      return new RemoteFailure("unreachable", { happened: "cannot be reached", cause: error });
    default:
      return toRemoteFailure(error);
  }
}

/**
 * The time limit of one request to a remote agent. It starts again whenever the reader of a stream asks for more bytes.
 */
class Wait {
  readonly #controller = new AbortController();
  readonly #outer: AbortSignal;
  readonly #timer: NodeJS.Timeout;
  #isLate = false;
  /** False while the reader of a stream has not asked for more bytes. This time is not counted. */
  #isWaiting = true;
  readonly #ms: number;

  constructor(outer: AbortSignal, ms: number) {
    this.#outer = outer;
    this.#ms = ms;
    this.#timer = setTimeout(this.#expire, ms);
    if (outer.aborted) this.#follow();
    else outer.addEventListener("abort", this.#follow, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Starts the time limit of the next wait for bytes. */
  begin(): void {
    this.#isWaiting = true;
    this.#timer.refresh();
  }

  /** Ends a wait for bytes. No time limit applies until the next wait starts. */
  pause(): void {
    this.#isWaiting = false;
  }

  /** Returns the error to throw for a failed request: a timeout, the reason of the outer signal, or another failure. */
  failure(error: unknown): unknown {
    const happened = `did not answer in ${this.#ms} ms. Raise timeoutMs to wait longer`;
    if (this.#isLate) return new RemoteFailure("timeout", { happened });
    return this.#outer.aborted ? this.#outer.reason : toRemoteFailure(error);
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#outer.removeEventListener("abort", this.#follow);
    this.#controller.abort(new Error("The reply was left."));
  }

  readonly #follow = (): void => this.#controller.abort(this.#outer.reason);

  readonly #expire = (): void => {
    if (!this.#isWaiting) {
      this.#timer.refresh();
      return;
    }
    this.#isLate = true;
    this.#controller.abort(new Error("The remote agent was silent for too long."));
  };
}

/** The bytes of a streamed reply. Each wait for more bytes has a time limit. */
class WatchedBytes implements ReplyBody {
  readonly #bytes: ReplyBody;
  readonly #wait: Wait;

  constructor(bytes: ReplyBody, wait: Wait) {
    this.#bytes = bytes;
    this.#wait = wait;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<Uint8Array, undefined>> {
    this.#wait.begin();
    try {
      return await this.#bytes.next();
    } catch (error) {
      throw this.#wait.failure(error);
    } finally {
      this.#wait.pause();
    }
  }

  async return(): Promise<IteratorResult<Uint8Array, undefined>> {
    await this.#bytes.return?.();
    return { done: true, value: undefined };
  }
}
