import { keyHeaders, readKeyHeaders, readPrincipal } from "@troupe/core/adapter";
import type { Request, Response } from "express";
import { httpStatusOf, toA2AError } from "../wire/a2a-error.ts";
import type { A2AError } from "../wire/a2a-error.ts";
import { writeFailure } from "../wire/json-rpc.ts";
import { parseCall } from "../wire/parse-call.ts";
import { writeErrorFrame } from "../wire/stream-frames.ts";
import type { A2ASettings } from "./a2a-server-options.ts";
import { answerCall, logFault, sendJson } from "./answer-call.ts";
import type { A2ACall } from "../wire/call.ts";
import { createSourceGuard, readBody } from "./read-request.ts";
import { streamHead } from "./task-stream.ts";
import type { Answered } from "./task-stream.ts";

/** A request whose call has been read, as far as its failure is concerned. */
type Failing = { readonly request: Request; readonly response: Response; answered: Answered; call?: A2ACall };

/** The JSON-RPC endpoint of a server: takes calls in every version of the protocol, and answers each in its own. */
export class A2AEndpoint {
  readonly #settings: A2ASettings;
  readonly #guard: (request: Request) => void;

  constructor(settings: A2ASettings) {
    this.#settings = settings;
    this.#guard = createSourceGuard(settings);
  }

  /** Answers a request; `agent` is the agent of its path. Never rejects. */
  async serve(request: Request, response: Response, agent?: string): Promise<void> {
    // Express keeps its way to this route there: memory that would be held for as long as the answer lasts.
    (request as { next?: unknown }).next = undefined;
    const left = new AbortController();
    response.once("close", () => left.abort());
    const version = versionOf(request);
    const exchange: Failing = { request, response, answered: { id: null, dialect: parseCall("", version).dialect } };
    try {
      this.#guard(request);
      const { genericApiKeyHeader, maxBodyBytes } = this.#settings;
      const keys = readKeyHeaders(request.headers, { genericApiKeyHeader });
      const principal = readPrincipal((request as { principal?: unknown }).principal, "request.principal");
      const { id, dialect, call, error } = parseCall(await readBody(request, maxBodyBytes), version);
      exchange.answered = { id, dialect };
      if (error !== undefined) throw error;
      exchange.call = call;
      const caller = { principal, owner: principal ?? {}, keys, left: left.signal };
      const { answered } = exchange;
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
    const status = error.fields["code"] === "payload_too_large" ? 413 : httpStatusOf(error);
    sendJson(response, status, writeFailure(answered.id, answered.dialect.writeError(error)));
  }
}

function setFailureHeaders(response: Response, { complete }: Request, { fields }: A2AError): void {
  const { retryAfterMs } = fields as { retryAfterMs?: unknown };
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

/** Returns the version that a client asks for: by the header, else by the query. */
function versionOf({ headers, url }: Request): string | undefined {
  const sent = headers["a2a-version"];
  if (sent !== undefined) return String(sent);
  const start = url.indexOf("?");
  return start === -1 ? undefined : (new URLSearchParams(url.slice(start)).get("A2A-Version") ?? undefined);
}
