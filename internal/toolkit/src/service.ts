import { TroupeError } from "@troupe/core";
import {
  abortedError,
  createMasker,
  findErrorCode,
  mergeHeaders,
  Network,
  startDeadline,
  untilAborted,
} from "@troupe/core/kit";
import type { NetworkOptions } from "@troupe/core";
import type { CallHeaders, HttpReply } from "@troupe/core/kit";
import { serviceError } from "./service-error.ts";
import { ServiceReply } from "./service-reply.ts";

/** Largest size of a service's answer in bytes, unless the request sets another. */
const maxAnswerBytes = 4_194_304;

/** Options of a `Service`: its name for errors, and the time limit and network of its requests. */
export type ServiceOptions = { name: string; timeoutMs: number; network: NetworkOptions };

/** A request to a service. Its body, JSON or a form, is sent unchanged, with the content type in the headers. */
export type ServiceRequest = {
  url: string | URL;
  /** The HTTP method. @default "GET" */
  method?: string | undefined;
  headers?: Readonly<Record<string, string>> | undefined;
  body?: string | undefined;
  /** Values that are hidden in the answer, such as the key in a header, in case the service repeats them. */
  secrets?: readonly string[] | undefined;
  /** Largest size of the decoded answer in bytes. @default 4_194_304 */
  maxBytes?: number | undefined;
  /**
   * For a request with an effect, such as sending a mail: advice for the case that its answer is lost. The error then
   * says that the request may have been carried out.
   */
  lostAnswerAdvice?: string | undefined;
};

/** Sends a request of a tool call, and reads its whole reply. Rejects if there is no reply, or it is too large. */
export type Ask = (request: ServiceRequest) => Promise<ServiceReply>;

/** An active tool call: its signal, and the `lostAnswerAdvice` of a request with an effect that has no answer yet. */
type RunningCall = { readonly signal: AbortSignal; unanswered: string | undefined };

/** Error codes of failures before the connection was established: nothing was sent. */
const notConnected: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "EADDRNOTAVAIL",
  "UND_ERR_CONNECT_TIMEOUT",
  "CERT_HAS_EXPIRED",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "ERR_TLS_CERT_ALTNAME_INVALID",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
]);

/**
 * Returns true if a request may have reached the service before it failed. Redirects and unsendable requests have no
 * effect.
 */
function mayBeSent(error: unknown): boolean {
  const isKnown = TroupeError.is(error) && error.code !== "unavailable" && error.code !== "timeout";
  return !isKnown && !isUnconnected(error);
}

function isUnconnected(error: unknown, depth = 0): boolean {
  if (!(error instanceof Error) || depth > 10) return false;
  return ("code" in error && notConnected.has(String(error.code))) || isUnconnected(error.cause, depth + 1);
}

/** Returns the secrets in the user's headers, such as a gateway's token, because a service may repeat them. */
function secretsIn(headers: CallHeaders = {}): string[] {
  return Object.entries(headers).flatMap(([name, value]) => {
    if (value === null || !/auth|token|key|secret|cookie|password/i.test(name)) return [];
    // A service may repeat the token alone, so the value without its scheme, such as `Bearer`, is a secret too.
    return [value, ...value.split(" ").slice(1)];
  });
}

/**
 * A service that tools call over HTTP. Requests use core's connections, or the user's network options. Redirects are
 * not followed, because they would send the key to another address.
 */
export class Service {
  readonly name: string;
  readonly #timeoutMs: number;
  readonly #network: Network;

  constructor({ name, timeoutMs, network }: ServiceOptions) {
    this.name = name;
    this.#timeoutMs = timeoutMs;
    const { headers, fetch, proxy, dispatcher } = network;
    this.#network = new Network({ headers, fetch, proxy, dispatcher });
  }

  /**
   * Performs the work of one tool call. All its requests share one time limit and end when the signal aborts. Requests
   * that are still active after the work are aborted too.
   */
  async call<Result>(signal: AbortSignal | undefined, work: (ask: Ask) => Promise<Result>): Promise<Result> {
    const deadline = startDeadline(this.#timeoutMs, "late", signal);
    const running: RunningCall = { signal: deadline.signal, unanswered: undefined };
    try {
      // Also stops waiting for a custom `fetch` that ignores its signal.
      return await untilAborted(() => work((request) => this.#ask(request, running)), deadline.signal);
    } catch (error) {
      if (signal?.aborted === true) throw abortedError(signal.reason);
      if (!deadline.signal.aborted) throw error;
      throw running.unanswered === undefined ? this.#lateError() : this.#outcomeUnknown(running.unanswered);
    } finally {
      deadline.end();
    }
  }

  async #ask({ url, method = "GET", headers = {}, body, ...limits }: ServiceRequest, running: RunningCall) {
    const { signal } = running;
    const { lostAnswerAdvice, secrets = [], maxBytes = maxAnswerBytes } = limits;
    const users = await this.#readHeaders(signal);
    const sent = mergeHeaders({ "user-agent": "troupe", ...headers }, users);
    running.unanswered ??= lostAnswerAdvice;
    try {
      const reply = await this.#network.send(url, { method, headers: sent, body, signal });
      const text = createMasker([...secrets, ...secretsIn(users)])(await this.#readReply(reply, maxBytes));
      running.unanswered = undefined;
      const { status, headers: received } = reply;
      return new ServiceReply({ service: this.name, status, headers: received, text, lostAnswerAdvice });
    } catch (error) {
      if (lostAnswerAdvice !== undefined && mayBeSent(error)) throw this.#outcomeUnknown(lostAnswerAdvice);
      throw this.#toError(error);
    }
  }

  /**
   * Returns the user's headers. An error of the user's function is not passed on, unless it is a `TroupeError`, because
   * it may quote a token.
   */
  async #readHeaders(signal: AbortSignal): Promise<CallHeaders | undefined> {
    try {
      return await this.#network.readHeaders(signal);
    } catch (error) {
      if (TroupeError.is(error)) throw error;
      const message = `${this.name} cannot be asked, because the function headers failed. Mend the function.`;
      throw new TroupeError("unavailable", message);
    }
  }

  /** Reads a reply. If the body of an error reply cannot be read, its status is enough. */
  async #readReply(reply: HttpReply, maxBytes: number): Promise<string> {
    const isFailure = reply.status < 200 || reply.status > 299;
    const reading = this.#read(reply, maxBytes);
    return isFailure ? await reading.catch(() => "") : await reading;
  }

  async #read({ bytes }: HttpReply, maxBytes: number): Promise<string> {
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of bytes) {
      size += chunk.length;
      // Leaving the loop closes the connection to the service.
      if (size > maxBytes) {
        throw serviceError(this.name, {
          problem: "too_large",
          happened: `sent an answer of more than ${maxBytes} bytes`,
        });
      }
      chunks.push(chunk);
    }
    const text = Buffer.concat(chunks).toString("utf8");
    return text.startsWith("\uFEFF") ? text.slice(1) : text;
  }

  /**
   * Converts the error of a request to a service. From a network error, only the code is passed on: a custom `fetch`
   * may quote the URL, and with it a key.
   */
  #toError(error: unknown): Error {
    if (!TroupeError.is(error)) return this.#unreachable(error);
    if (error.fields["service"] !== undefined) return error;
    const { status } = error.fields;
    if (typeof status === "number" && status >= 300 && status <= 399) {
      return serviceError(this.name, { problem: "redirected", status });
    }
    if (error.code === "timeout") return this.#lateError();
    // The messages of these errors are Troupe's own, so they contain no key. They mean that a header cannot be sent, or
    // that a proxy refused.
    if (error.code !== "unavailable") return new TroupeError(error.code, error.message);
    return this.#unreachable(error);
  }

  /**
   * Makes the error of a request whose outcome is unknown. Omits the code of the network failure, which would suggest
   * that a retry is safe.
   */
  #outcomeUnknown(advice: string): Error {
    return serviceError(this.name, { problem: "outcome_unknown", advice });
  }

  #unreachable(error: unknown): Error {
    return serviceError(this.name, { problem: "unreachable", networkCode: findErrorCode(error) });
  }

  #lateError(): Error {
    const happened = `did not answer within ${this.#timeoutMs} ms`;
    return serviceError(this.name, { problem: "timeout", happened });
  }
}
