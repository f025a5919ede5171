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

/** Largest answer of a service that is read, in bytes. */
const maxAnswerBytes = 4_194_304;

/** Options of a `Service`: its name for errors, and the time and the network of its requests. */
export type ServiceOptions = { name: string; timeoutMs: number; network: NetworkOptions };

/** A request to a service. Its body is sent as it is, JSON or a form, under the content type that the headers name. */
export type ServiceRequest = {
  url: string | URL;
  /** @default "GET" */
  method?: string | undefined;
  headers?: Readonly<Record<string, string>> | undefined;
  body?: string | undefined;
  /** Values that are hidden in the answer, such as the key in a header, in case the service repeats them. */
  secrets?: readonly string[] | undefined;
  /** Largest size of the answer in bytes, decoded. @default 4_194_304 */
  maxBytes?: number | undefined;
  /**
   * For a request with an effect, such as a mail that is sent: what to do when its answer is lost. The error then says that it may
   * have been carried out.
   */
  lostAnswerAdvice?: string | undefined;
};

/** Sends a request of a tool call, and reads its whole reply. Rejects with a `serviceError` when there is none. */
export type Ask = (request: ServiceRequest) => Promise<ServiceReply>;

/** A tool call that runs: the signal of its end, and the advice of a request with an effect that has no answer yet. */
type RunningCall = { readonly signal: AbortSignal; unanswered: string | undefined };

/** Codes of failures before a connection stood: nothing was sent. */
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

/** Tells if a request may have reached the service although it failed so. Redirects and requests that cannot be sent do nothing. */
function mayBeSent(error: unknown): boolean {
  const isKnown = TroupeError.is(error) && error.code !== "unavailable" && error.code !== "timeout";
  return !isKnown && !isUnconnected(error);
}

function isUnconnected(error: unknown, depth = 0): boolean {
  if (!(error instanceof Error) || depth > 10) return false;
  return ("code" in error && notConnected.has(String(error.code))) || isUnconnected(error.cause, depth + 1);
}

/** Returns the secrets in the user's headers, such as the token of a gateway: a service may repeat them. */
function secretsIn(headers: CallHeaders = {}): string[] {
  return Object.entries(headers).flatMap(([name, value]) => {
    if (value === null || !/auth|token|key|secret|cookie|password/i.test(name)) return [];
    // Also without the scheme before it, as in "Bearer …".
    return [value, ...value.split(" ").slice(1)];
  });
}

/**
 * A service that tools ask over HTTP. Requests go over core's connections, or as the user's network options say; a redirect
 * is not followed, because it would carry the key elsewhere.
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
   * Does the work of one tool call. All its requests share one time limit and end when the signal aborts, and those that are
   * still running when the work is over are ended too.
   */
  async call<Result>(signal: AbortSignal | undefined, work: (ask: Ask) => Promise<Result>): Promise<Result> {
    const deadline = startDeadline(this.#timeoutMs, "late", signal);
    const running: RunningCall = { signal: deadline.signal, unanswered: undefined };
    try {
      // Also ends a `fetch` of the user that ignores its signal.
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

  /** Returns the user's headers. What their function throws may quote a token, so it is not passed on. */
  async #readHeaders(signal: AbortSignal): Promise<CallHeaders | undefined> {
    try {
      return await this.#network.readHeaders(signal);
    } catch (error) {
      if (TroupeError.is(error)) throw error;
      const message = `${this.name} cannot be asked, because the function headers failed. Mend the function.`;
      throw new TroupeError("unavailable", message);
    }
  }

  /** Reads a reply. Of a failure whose body cannot be read the status is enough. */
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
      // Leaving the loop closes the connection.
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

  /** Nothing of the error is passed on but its code: a `fetch` of the user may quote the URL, and with it a key. */
  #toError(error: unknown): Error {
    if (!TroupeError.is(error)) return this.#unreachable(error);
    if (error.fields["service"] !== undefined) return error;
    const { status } = error.fields;
    if (typeof status === "number" && status >= 300 && status <= 399) {
      return serviceError(this.name, { problem: "redirected", status });
    }
    if (error.code === "timeout") return this.#lateError();
    // Sentences of ours: a header that cannot be sent, a proxy that refused.
    if (error.code !== "unavailable") return new TroupeError(error.code, error.message);
    return this.#unreachable(error);
  }

  /** Without the code of the network's failure, by which a caller would think that another try is safe. */
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
