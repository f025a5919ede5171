import { keyHeaders } from "@troupe/core";
import { readKeyHeaders, readPrincipal, SourceGuard } from "@troupe/core/transport";
import type { Request, Response } from "express";
import { toA2AError } from "../wire/a2a-error.ts";
import type { A2AError } from "../wire/a2a-error.ts";
import { writeErrorFrame } from "../wire/stream-frames.ts";
import type { Answered } from "../wire/stream-frames.ts";
import type { A2ASettings } from "./a2a-server-options.ts";
import { answerCall, logFault, sendJson } from "./answer-call.ts";
import type { A2ACall } from "../wire/call.ts";
import { streamHead } from "./task-stream.ts";

/** A call of a request, or the error that it gets, with the form of its answer. */
export type ReadCall = { readonly answered: Answered } & (
  | { readonly call: A2ACall; readonly error?: undefined }
  | { readonly error: A2AError; readonly call?: undefined }
);

/** A way in which calls come over HTTP. */
export interface Binding {
  /** Returns the form of the answer to a request of which nothing could be read. */
  formFor(request: Request): Answered;
  /** Reads the call of a request, with a body of at most `maxBodyBytes`. `hasPush`: the server sends push notifications. */
  readCall(request: Request, server: { maxBodyBytes: number; hasPush: boolean }): Promise<ReadCall>;
}

/** A request whose call has been read, as far as its failure is concerned. */
type Failing = {
  readonly request: Request;
  readonly response: Response;
  answered: Answered;
  call?: A2ACall | undefined;
};

/** An endpoint of a server: takes the calls that come over its binding, and answers each in its own form. */
export class A2AEndpoint {
  readonly #settings: A2ASettings;
  readonly #binding: Binding;
  readonly #guard: SourceGuard;

  constructor(settings: A2ASettings, binding: Binding) {
    this.#settings = settings;
    this.#binding = binding;
    this.#guard = new SourceGuard(settings);
  }

  /** Answers a request; `agent` is the agent of its path. Never rejects. */
  async serve(request: Request, response: Response, agent?: string): Promise<void> {
    // Express keeps its way to this route there: memory that would be held for as long as the answer lasts.
    (request as { next?: unknown }).next = undefined;
    const left = new AbortController();
    response.once("close", () => left.abort());
    const exchange: Failing = { request, response, answered: this.#binding.formFor(request) };
    try {
      this.#guard.checkHost(request);
      this.#guard.checkPage(request);
      const { genericApiKeyHeader, maxBodyBytes, push } = this.#settings;
      const keys = readKeyHeaders(request.headers, { genericApiKeyHeader });
      const principal = readPrincipal((request as { principal?: unknown }).principal, "request.principal");
      const server = { maxBodyBytes, hasPush: push !== undefined };
      const { answered, call, error } = await this.#binding.readCall(request, server);
      Object.assign(exchange, { answered, call });
      if (error !== undefined) throw error;
      const caller = { principal, owner: principal ?? {}, keys, left: left.signal };
      await answerCall(call, { settings: this.#settings, request, response, agent, answered, ...caller });
    } catch (thrown) {
      this.#fail(thrown, exchange);
    }
  }

  #fail(thrown: unknown, { request, response, answered, call }: Failing): void {
    const error = toA2AError(thrown, call === undefined || call.op === "send" ? "request" : "task");
    logFault(this.#settings.logger.withSecrets(secretsOf(request)), thrown, error);
    if (response.headersSent || response.destroyed) return void response.destroy();
    setFailureHeaders(response, request, error);
    if (call?.op === "subscribe" && answered.dialect.resumesEnded) return sendErrorFrame(response, answered, error);
    sendJson(response, answered, { status: answered.statusOf(error), json: answered.writeFailure(error) });
  }
}

function setFailureHeaders(response: Response, { complete }: Request, { fields }: A2AError): void {
  const { retryAfterMs, allow } = fields as { retryAfterMs?: unknown; allow?: unknown };
  if (typeof allow === "string") response.setHeader("Allow", allow);
  if (typeof retryAfterMs === "number") response.setHeader("Retry-After", Math.ceil(retryAfterMs / 1000));
  // What is left of a body that was refused is not read.
  if (!complete) response.setHeader("Connection", "close");
}

function secretsOf({ headers }: Request): (string | undefined)[] {
  return [...keyHeaders.flatMap((name) => headers[name] ?? []), headers.authorization];
}

/** Sends an error as a stream of one frame, to clients that take nothing else. */
function sendErrorFrame(response: Response, answered: Answered, error: A2AError): void {
  response.writeHead(200, streamHead).end(writeErrorFrame(answered, error));
}
