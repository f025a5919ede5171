import { readRetryAfter } from "@troupe/core/kit";
import type { ReplyHeaders } from "@troupe/core/kit";
import { problemOfStatus, serviceError } from "./service-error.ts";
import type { ServiceFailure } from "./service-error.ts";

/** Parts of a `ServiceReply`. */
export type ServiceReplyParts = {
  service: string;
  status: number;
  headers: ReplyHeaders;
  text: string;
  lostAnswerAdvice?: string | undefined;
};

/** Returns what a toolkit knows better about a reply with an error status than its status tells, if anything. */
export type ExplainReply = (reply: ServiceReply) => ServiceFailure | undefined;

/** The whole reply of a service, of any status but a redirect, as text without the secrets of its request. */
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

  /** Returns the reply if its status is 2xx. Else throws the error that `explain` or the status tells. */
  requireOk(explain?: ExplainReply): this {
    if (this.status >= 200 && this.status <= 299) return this;
    throw this.toError(explain?.(this));
  }

  /** Makes an error of the reply, with its status and the time to wait that it asks for. */
  toError(failure: ServiceFailure = { problem: problemOfStatus(this.status) }): Error {
    // The service may have failed before the request was carried out, or after.
    if (this.status >= 500 || this.status === 408) this.#requireKnownOutcome();
    const retryAfterMs = failure.problem === "rate_limited" ? this.#retryAfterMs() : undefined;
    return serviceError(this.service, {
      status: this.status,
      ...(retryAfterMs !== undefined && { retryAfterMs }),
      ...failure,
    });
  }

  /** Parses the reply as JSON. Throws an error that tells apart an empty answer, a web page and a damaged one. */
  json(): unknown {
    const value = this.tryJson();
    if (value !== undefined) return value;
    this.#requireKnownOutcome();
    throw serviceError(this.service, { problem: "unreadable", status: this.status, ...this.#whyNoJson() });
  }

  /** Parses the reply as JSON, or returns `undefined`. */
  tryJson(): unknown {
    try {
      return JSON.parse(this.text);
    } catch {
      return undefined;
    }
  }

  /** Makes the error of a reply that is not what the toolkit expects of the service. */
  unexpected(): Error {
    this.#requireKnownOutcome();
    const happened = "sent an answer of an unknown form";
    return serviceError(this.service, { problem: "unreadable", status: this.status, happened });
  }

  /** Throws for a request with an effect, of which the reply does not tell if it was carried out. */
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

/** Explains that nothing is found at an address which the service always has: then the address is wrong. */
export const explainAddress: ExplainReply = ({ status }) => {
  if (status !== 404 && status !== 410) return undefined;
  return { problem: "not_found", happened: "has nothing at this address", advice: "Check baseURL of the toolkit." };
};

/** As `explainAddress`, for a service that takes no credential and so refuses none. */
export const explainKeyless: ExplainReply = (reply) => {
  if (reply.status !== 401) return explainAddress(reply);
  const advice = "It takes no credential here: check baseURL of the toolkit and the network.";
  return { problem: "forbidden", advice };
};
