import { apiKeysInHeaders, readKeyHeaders } from "@troupe/core/transport";
import type { Exchange, RouteHandler } from "@troupe/core/transport";
import { A2AError, toA2AError } from "../wire/a2a-error.ts";
import type { A2ACall } from "../wire/call.ts";
import { writeErrorFrame } from "../wire/stream-frames.ts";
import type { Answered } from "../wire/stream-frames.ts";
import type { A2AParts } from "./a2a-parts.ts";
import { answerCall, jsonHead, logFault } from "./answer-call.ts";
import { streamHead } from "./task-stream.ts";

/** The call in a request, or the error to answer with. Both come with the form of the answer. */
export type ReadCall = { readonly answered: Answered } & (
  | { readonly call: A2ACall; readonly error?: undefined }
  | { readonly error: A2AError; readonly call?: undefined }
);

/** A way to make calls over HTTP, such as JSON-RPC. */
export interface Binding {
  /** Returns the form of the answer to an HTTP request whose call could not be read. */
  formFor(exchange: Exchange): Answered;
  /**
   * Reads the call in a request whose body has at most `maxBodyBytes`. `hasPush`: the service sends push notifications.
   */
  readCall(exchange: Exchange, server: { maxBodyBytes: number; hasPush: boolean }): Promise<ReadCall>;
}

/** The form of the answer to a failed request, and the call of the request if it could be read. */
type Failing = { readonly answered: Answered; readonly call?: A2ACall | undefined };

/** An endpoint of a service: receives the calls of its binding and answers each in the form of that binding. */
export class A2AEndpoint {
  readonly #parts: A2AParts;
  readonly #binding: Binding;

  constructor(parts: A2AParts, binding: Binding) {
    this.#parts = parts;
    this.#binding = binding;
  }

  /** Answers an HTTP request with an A2A call. Never rejects. */
  readonly serve: RouteHandler = async (exchange) => {
    const { service, maxBodyBytes, push } = this.#parts;
    let failing: Failing | undefined;
    try {
      service.closeIfDraining(exchange);
      // The origin of a page is checked even for requests that it cannot send without a CORS preflight: a call may cost
      // money, and may answer a user's questions.
      service.guard.checkPage(exchange);
      // Malformed API keys are refused before the body is read.
      const { genericApiKeyHeader } = service.settings;
      readKeyHeaders(exchange.headers, { genericApiKeyHeader });
      const owner = exchange.principal ?? {};
      const read = await this.#binding.readCall(exchange, { maxBodyBytes, hasPush: push !== undefined });
      failing = read;
      if (read.error !== undefined) throw read.error;
      const { call, answered } = read;
      const agent = exchange.params["agent"];
      await answerCall(call, { parts: this.#parts, exchange, agent, answered, owner, left: exchange.signal });
    } catch (thrown) {
      this.#fail(thrown, exchange, failing ?? { answered: this.#binding.formFor(exchange) });
    }
  };

  /** Answers with an error to a request whose call could not be read. */
  readonly fail = (thrown: unknown, exchange: Exchange): void => {
    this.#fail(thrown, exchange, { answered: this.#binding.formFor(exchange) });
  };

  #fail(thrown: unknown, exchange: Exchange, { answered, call }: Failing): void {
    const error = toA2AError(readable(thrown), call === undefined || call.op === "send" ? "request" : "task");
    logFault(exchange.logger.withSecrets(secretsOf(exchange)), thrown, error);
    if (exchange.isHeadSent || exchange.isDestroyed) return exchange.destroy();
    setFailureHeaders(exchange, error);
    const { allow } = error.fields;
    if (exchange.method === "OPTIONS" && typeof allow === "string") {
      return exchange.setHeader("Allow", `${allow}, OPTIONS`).sendEmpty();
    }
    if (call?.op === "subscribe" && answered.dialect.resumesEnded) {
      // The error is sent as a stream of one frame, for clients that accept only streams.
      return exchange.send(200, streamHead, writeErrorFrame(answered, error));
    }
    const body = answered.writeFailure(error);
    const isTooLarge = error.fields["code"] === "payload_too_large";
    exchange.refuse(answered.statusOf(error), jsonHead(answered, body), { body, isTooLarge });
  }
}

function readable(thrown: unknown): unknown {
  if (!(thrown instanceof URIError)) return thrown;
  return new A2AError("invalid-params", "The path has a broken percent escape. Encode it with encodeURIComponent.");
}

function setFailureHeaders(exchange: Exchange, { fields }: A2AError): void {
  const { retryAfterMs, allow } = fields as { retryAfterMs?: unknown; allow?: unknown };
  if (typeof allow === "string") exchange.setHeader("Allow", allow);
  if (typeof retryAfterMs === "number") exchange.setHeader("Retry-After", Math.ceil(retryAfterMs / 1000));
}

function secretsOf({ headers }: Exchange): (string | undefined)[] {
  return [...apiKeysInHeaders(headers), headers.authorization];
}
