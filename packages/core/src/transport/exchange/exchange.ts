import type { IncomingHttpHeaders } from "node:http";
import type { Readable, Writable } from "node:stream";
import type { TroupeError } from "../../base/errors/troupe-error.ts";
import type { Logger } from "../../base/log/logger.ts";
import type { TokenUsage } from "../../base/message/token-usage.ts";
import { readPrincipal } from "../request/principal.ts";
import type { Principal } from "../request/principal.ts";
import { toServiceRequest } from "../request/service-request.ts";
import type { ServiceRequest } from "../request/service-request.ts";
import { logFailure } from "./log-failure.ts";
import type { FailedRun } from "./log-failure.ts";
import { readBytes, readJsonObject } from "./read-body.ts";
import type { BodyRule } from "./read-body.ts";
import type { RequestRecord } from "./request-record.ts";
import { jsonHeaders, sendFailure } from "./send-failure.ts";

/** Headers of an answer by name. */
export type AnswerHeaders = Readonly<Record<string, string | number>>;

/**
 * One HTTP request in progress and its answer: the form in which the routes of a protocol see them, on every server.
 */
export abstract class Exchange {
  abstract readonly method: string;
  /** The target of the request as the client sent it: a path with its query, or a whole URL. */
  abstract readonly url: string;
  /**
   * The path below the mount path, percent-encoded, without the query. Empty if the request is not below the mount
   * path.
   */
  abstract readonly path: string;
  /** The mount path of the routes; empty at the root. */
  abstract readonly basePath: string;
  /** The query with its question mark, or an empty string. */
  abstract readonly search: string;
  /** The headers of the request, with names in lower case. */
  abstract readonly headers: IncomingHttpHeaders;
  /** The name of the protocol that answers. Set once the route is known. */
  protocol = "";
  /** The decoded parameters in the route's path. Set once the route is known. */
  params: Readonly<Record<string, string>> = {};
  /** The id of the request in logs, sent as `X-Request-Id`. */
  abstract readonly requestId: string;
  abstract readonly logger: Logger;
  /** The facts about the request that its log line contains. */
  abstract readonly record: RequestRecord;
  /** The request object of the server, for the host's own functions. */
  abstract readonly native: unknown;
  /** True if the connection is encrypted, as far as the server knows. */
  abstract readonly isSecure: boolean;
  /** The remote address of the connection, or the client's address if the server knows it. */
  abstract readonly remoteAddress: string | undefined;

  /** True if the request has a body, even an empty body of unknown length. */
  abstract readonly hasBody: boolean;
  /** The bytes of the body. */
  abstract readonly body: Readable;
  /** The body in the form in which the host's middleware has parsed it; undefined if no middleware has parsed it. */
  abstract readonly parsedBody: unknown;
  /** True once the whole body has arrived. */
  abstract readonly isBodyComplete: boolean;

  /** True once the status and headers are sent. */
  abstract readonly isHeadSent: boolean;
  /** True once the end of the answer has been written. */
  abstract readonly isEnded: boolean;
  /** True once the whole answer has been handed to the operating system. */
  abstract readonly isFinished: boolean;
  /** True if the connection is gone, before or after the end of the answer. */
  abstract readonly isDestroyed: boolean;
  /** True once the exchange is over: the answer is finished, or the client has disconnected. */
  abstract readonly isClosed: boolean;
  /** Called when the answer becomes a stream. */
  onStream: (() => void) | undefined;
  #signal: AbortSignal | undefined;
  /**
   * An object with the user passed to `signIn`, who may be undefined. The object itself is undefined before `signIn`.
   */
  #signedIn: { readonly principal: Principal | undefined } | undefined;

  /** The unchecked user that the host's authentication has set on the request. */
  protected abstract readonly givenPrincipal: unknown;

  /** Calls a listener when the exchange is over. Returns the function that removes it. */
  abstract onClose(listener: () => void): () => void;

  /**
   * Calls a listener if the client leaves before the end of the answer: at once if it has already left. Returns the
   * function that removes the listener.
   */
  onLeave(listener: () => void): () => void {
    if (this.isDestroyed) {
      listener();
      return () => {};
    }
    return this.onClose(() => {
      if (!this.isFinished) listener();
    });
  }

  /** Sets a header of the answer, before it begins. */
  abstract setHeader(name: string, value: string | number): this;
  /** Removes a header of the answer, before it begins. */
  abstract removeHeader(name: string): void;
  /** Sends headers before the answer (status 103) if the server supports that. */
  abstract sendHints(headers: Readonly<Record<string, string>>): void;
  /** Sends a complete answer. */
  abstract send(status: number, headers: AnswerHeaders, body?: string | Uint8Array): void;
  /**
   * Sends a complete answer to a request whose body is not read to its end, although more of it may arrive.
   * `isTooLarge` is true if the body exceeds its limit.
   */
  abstract refuse(status: number, headers: AnswerHeaders, refusal: { body: string; isTooLarge: boolean }): void;
  /** Begins an answer and returns the stream for its body. The head is sent with the first bytes. */
  abstract openStream(status: number, headers: AnswerHeaders): Writable;
  /** Sends the head of an open stream without waiting for bytes. */
  abstract flushHead(): void;
  /** Closes the connection at once. */
  abstract destroy(): void;

  /** The signed-in user of the request; undefined if there is none. Throws `internal` for a malformed user. */
  get principal(): Principal | undefined {
    return this.#signedIn === undefined
      ? readPrincipal(this.givenPrincipal, "request.principal")
      : this.#signedIn.principal;
  }

  /** A signal that aborts when the exchange is over, including when the client disconnects. */
  get signal(): AbortSignal {
    if (this.#signal !== undefined) return this.#signal;
    const left = new AbortController();
    if (this.isClosed) left.abort();
    else this.onClose(() => left.abort());
    return (this.#signal = left.signal);
  }

  /** Makes the request object for the host's own functions. */
  toRequest(): ServiceRequest {
    const { protocol, method, headers, remoteAddress, native } = this;
    const { principal } = this;
    const path = this.basePath + this.path;
    return toServiceRequest({ protocol, method, path, headers, remoteAddress, native, principal });
  }

  /**
   * Sets the signed-in user of the request; undefined if no user is signed in. Throws `internal` for a malformed user.
   */
  signIn(principal: unknown): void {
    this.#signedIn = { principal: readPrincipal(principal, "authenticate(request)") };
  }

  /**
   * Reads the JSON object in the body; undefined if the request has no body. Throws the error to answer with if it is
   * not a JSON object, too large, too deeply nested, or compressed.
   */
  readJsonObject(rule: BodyRule): Promise<Readonly<Record<string, unknown>> | undefined> {
    return readJsonObject(this, rule);
  }

  /**
   * Reads the bytes of the body. A body that the host has parsed is converted to JSON again. Throws the same errors as
   * `readJsonObject`.
   */
  readBytes(rule: BodyRule): Promise<Buffer> {
    return readBytes(this, rule);
  }

  /** Returns the path at which a client reaches a path of the service, encoded for a header. */
  linkTo(path: string): string {
    return this.basePath.replaceAll(/[^!-~]|[<>"]/g, encodeURIComponent) + path;
  }

  /** Sends a value as JSON with this status and ends the answer. Its headers forbid caches to store it. */
  sendJson(status: number, value: unknown): void {
    this.sendJsonText(status, JSON.stringify(value));
  }

  /** Sends a string of JSON as `sendJson` does. */
  sendJsonText(status: number, json: string): void {
    this.send(status, jsonHeaders(json), json);
  }

  /** Sends a status without a body and ends the answer. */
  sendEmpty(status = 204): void {
    this.send(status, {});
  }

  /**
   * Answers with an error as JSON. Closes the connection if an answer has already begun. Logs failures that the
   * operator must fix, without the API keys of the run.
   */
  fail(thrown: unknown, run?: FailedRun): void {
    sendFailure(thrown, this, run);
  }

  /** Logs a failed request that is not the client's fault, with the request's id and without API keys. */
  logFailure(error: TroupeError, run?: FailedRun): void {
    logFailure(error, this, run);
  }

  /**
   * Resolves when the run that the request has begun is over, or was begun if it ends with its client or is performed
   * by another process. Resolves at once without a run. Never rejects.
   */
  async untilRunEnds(): Promise<void> {
    const run = await this.record.run?.catch(() => undefined);
    await run?.over;
  }

  /** Records the total number of tokens of a run for the request log. */
  recordUsage({ totalTokens }: Pick<TokenUsage, "totalTokens">): void {
    this.record.tokens = totalTokens;
  }
}
