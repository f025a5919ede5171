import { readRetryAfter } from "@troupe/core/kit";
import type { ReplyHeaders } from "@troupe/core/kit";
import { problemOfStatus, serviceError } from "./service-error.ts";
import type { ServiceFailure } from "./service-error.ts";

/** Constructor options of a `ServiceReply`: the service, the reply, and the advice for a lost answer. */
export type ServiceReplyParts = {
  service: string;
  status: number;
  headers: ReplyHeaders;
  text: string;
  lostAnswerAdvice?: string | undefined;
};

/**
 * Returns a toolkit's more precise explanation of an error reply. Returns undefined if the status of the reply explains
 * enough.
 */
export type ExplainReply = (reply: ServiceReply) => ServiceFailure | undefined;

/**
 * The whole reply of a service as text, without the secrets of its request. It may have any status except a redirect.
 * The text is empty if the body of an error reply cannot be read.
 */
export class ServiceReply {
  readonly service: string;
  readonly status: number;
  readonly headers: ReplyHeaders;
  readonly text: string;
  readonly #lostAnswerAdvice: string | undefined;

  constructor({ service, status, headers, text, lostAnswerAdvice }: ServiceReplyParts) {
    this.service = service;
    this.status = status;
    this.headers = headers;
    this.text = text;
    this.#lostAnswerAdvice = lostAnswerAdvice;
  }

  /**
   * Returns the reply if its status is 2xx. Otherwise throws the error that `toError` makes of the failure returned by
   * `explain`.
   */
  requireOk(explain?: ExplainReply): this {
    if (this.status >= 200 && this.status <= 299) return this;
    throw this.toError(explain?.(this));
  }

  /**
   * Makes an error for a service's reply, with its status and, if the service limits the rate, the time to wait. Throws
   * `outcome_unknown` instead if a request with an effect got a 5xx or 408.
   */
  toError(failure: ServiceFailure = { problem: problemOfStatus(this.status) }): Error {
    // The service may have failed before or after carrying out the request.
    if (this.status >= 500 || this.status === 408) this.#requireKnownOutcome();
    const retryAfterMs = failure.problem === "rate_limited" ? this.#retryAfterMs() : undefined;
    return serviceError(this.service, {
      status: this.status,
      ...(retryAfterMs !== undefined && { retryAfterMs }),
      ...failure,
    });
  }

  /**
   * Parses a service's reply as JSON. Throws an error that distinguishes an empty answer, a web page and a damaged
   * answer; for a request with an effect, `outcome_unknown`.
   */
  json(): unknown {
    const value = this.tryJson();
    if (value !== undefined) return value;
    this.#requireKnownOutcome();
    throw serviceError(this.service, { problem: "unreadable", status: this.status, ...this.#whyNoJson() });
  }

  /** Parses a service's reply as JSON. Returns `undefined` if it is not JSON. */
  tryJson(): unknown {
    try {
      return JSON.parse(this.text);
    } catch {
      return undefined;
    }
  }

  /**
   * Makes the error for a reply that the toolkit does not expect from the service. Throws `outcome_unknown` instead for
   * a request with an effect.
   */
  unexpected(): Error {
    this.#requireKnownOutcome();
    const happened = "sent an answer of an unknown form";
    return serviceError(this.service, { problem: "unreadable", status: this.status, happened });
  }

  /**
   * Throws `outcome_unknown` for a request with an effect, because its reply does not show if the request was carried
   * out.
   */
  #requireKnownOutcome(): void {
    if (this.#lostAnswerAdvice === undefined) return;
    throw serviceError(this.service, { problem: "outcome_unknown", advice: this.#lostAnswerAdvice });
  }

  #whyNoJson(): Pick<ServiceFailure, "happened" | "advice"> {
    if (this.text.trim() === "") return { happened: "sent an empty answer" };
    const type = this.headers.get("content-type") ?? "";
    if (!/^\s*</.test(this.text) && !type.includes("html"))
      return { happened: "sent an answer that is cut or not JSON" };
    return {
      happened: "answered with a web page where JSON was expected",
      advice: "A proxy, a sign-in page or a block may stand in between: check the network and baseURL.",
    };
  }

  #retryAfterMs(): number | undefined {
    const waitMs = readRetryAfter(this.headers);
    return waitMs !== undefined && Number.isFinite(waitMs) ? waitMs : undefined;
  }
}

/** Explains a 404 or 410 for an address that the service always has: the configured address is wrong. */
export const explainAddress: ExplainReply = ({ status }) => {
  if (status !== 404 && status !== 410) return undefined;
  return { problem: "not_found", happened: "has nothing at this address", advice: "Check baseURL of the toolkit." };
};

/** Like `explainAddress`, but also explains a 401 of a service that needs no credentials. */
export const explainKeyless: ExplainReply = (reply) => {
  if (reply.status !== 401) return explainAddress(reply);
  const advice = "It takes no credential here: check baseURL of the toolkit and the network.";
  return { problem: "forbidden", advice };
};
