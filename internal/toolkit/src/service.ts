import { TroupeError } from "@troupe/core";
import {
  abortedError,
  createMasker,
  findErrorCode,
  mergeHeaders,
  Network,
  startDeadline,
  untilAborted,
} from "@troupe/core/adapter";
import type { HttpReply, NetworkOptions } from "@troupe/core/adapter";
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
};

/** Sends a request of a tool call, and reads its whole reply. Rejects with a `serviceError` when there is none. */
export type Ask = (request: ServiceRequest) => Promise<ServiceReply>;

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
    try {
      // Also ends a `fetch` of the user that ignores its signal.
      return await untilAborted(() => work((request) => this.#ask(request, deadline.signal)), deadline.signal);
    } catch (error) {
      if (signal?.aborted === true) throw abortedError(signal.reason);
      throw deadline.signal.aborted ? this.#lateError() : error;
    } finally {
      deadline.end();
    }
  }

  async #ask({ url, method = "GET", headers = {}, body, ...limits }: ServiceRequest, signal: AbortSignal) {
    const users = await this.#network.readHeaders(signal);
    const sent = mergeHeaders({ "user-agent": "troupe", ...headers }, users);
    try {
      const reply = await this.#network.send(url, { method, headers: sent, body, signal });
      const text = await this.#read(reply, limits.maxBytes ?? maxAnswerBytes);
      const shown = createMasker(limits.secrets ?? [])(text);
      return new ServiceReply({ service: this.name, status: reply.status, headers: reply.headers, text: shown });
    } catch (error) {
      throw this.#toError(error);
    }
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

  #unreachable(error: unknown): Error {
    return serviceError(this.name, { problem: "unreachable", networkCode: findErrorCode(error) });
  }

  #lateError(): Error {
    const happened = `did not answer within ${this.#timeoutMs} ms`;
    return serviceError(this.name, { problem: "timeout", happened });
  }
}
