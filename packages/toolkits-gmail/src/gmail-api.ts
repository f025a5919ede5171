import { Service } from "@troupe-internal/toolkit";
import type { Ask, ServiceFailure, ServiceReply, ServiceRequest } from "@troupe-internal/toolkit";
import type { RunContext } from "@troupe/core";
import { readObject, readObjects, readText } from "@troupe/core/kit";
import type { NetworkOptions } from "@troupe/core";
import type { TokenSource } from "./oauth/file-tokens.ts";
import { serviceName, tokenAdvice } from "./oauth/token-endpoint.ts";

/** Sends a request to a path of the Gmail API, with an access token, and returns its JSON. */
export type GmailAsk = (
  path: string,
  request?: Omit<ServiceRequest, "url">,
) => Promise<Readonly<Record<string, unknown>>>;

/** Options of a `GmailApi`. */
export type GmailApiOptions = {
  readonly baseURL: string;
  readonly timeoutMs: number;
  readonly network: NetworkOptions;
  readonly tokens: TokenSource;
};

/** The Gmail API for one mailbox. */
export class GmailApi {
  readonly #service: Service;
  readonly #baseURL: string;
  readonly #tokens: TokenSource;

  constructor({ baseURL, timeoutMs, network, tokens }: GmailApiOptions) {
    this.#service = new Service({ name: serviceName, timeoutMs, network });
    this.#baseURL = baseURL.replace(/\/+$/, "");
    this.#tokens = tokens;
  }

  /** Performs the work of one tool call with the Gmail API, within one time limit. */
  async call<Result>(context: RunContext, work: (ask: GmailAsk) => Promise<Result>): Promise<Result> {
    return await this.#service.call(context.signal, async (ask) => {
      return await work(
        async (path, request) => await this.#ask(ask, { ...request, url: this.#baseURL + path }, context),
      );
    });
  }

  /**
   * Sends a request to Gmail. If Gmail refuses the token, sends the request once more with a new token, because Gmail
   * has done nothing yet.
   */
  async #ask(ask: Ask, request: ServiceRequest, { signal, logger }: RunContext) {
    const token = await this.#tokens.getToken({ signal, logger });
    let reply = await ask(withToken(request, token));
    if (reply.status === 401) {
      const renewed = await this.#tokens.getToken({ signal, logger, refused: token });
      reply = await ask(withToken(request, renewed));
    }
    const answer = reply.requireOk(explain).json();
    if (typeof answer !== "object" || answer === null || Array.isArray(answer)) throw reply.unexpected();
    return readObject(answer);
  }
}

function withToken(request: ServiceRequest, token: string): ServiceRequest {
  return { ...request, headers: { ...request.headers, authorization: `Bearer ${token}` }, secrets: [token] };
}

const limits: ServiceFailure = { problem: "rate_limited" };
const dailyLimit: ServiceFailure = {
  problem: "quota_exceeded",
  happened: "refused the request because the account has reached its limit for today",
  advice: "Try again tomorrow: calling again earlier does not help.",
};
const noPermission: ServiceFailure = {
  problem: "forbidden",
  happened: "refused the request because the token lacks the permission for it",
  advice: `Give it for all tools that are enabled. ${tokenAdvice}`,
};
const notEnabled: ServiceFailure = {
  problem: "forbidden",
  happened: "is not enabled for the project of the OAuth client",
  advice: "Enable the Gmail API in the Google Cloud console, and try again some minutes later.",
};

/** Failures of tool calls by the `reason` in Gmail's error. */
const reasons: ReadonlyMap<string, ServiceFailure> = new Map([
  ["rateLimitExceeded", limits],
  ["userRateLimitExceeded", limits],
  ["RATE_LIMIT_EXCEEDED", limits],
  ["dailyLimitExceeded", dailyLimit],
  ["quotaExceeded", dailyLimit],
  ["insufficientPermissions", noPermission],
  ["ACCESS_TOKEN_SCOPE_INSUFFICIENT", noPermission],
  ["accessNotConfigured", notEnabled],
  ["SERVICE_DISABLED", notEnabled],
  [
    "domainPolicy",
    {
      problem: "forbidden",
      happened: "may not be used by this app, as the administrator of the domain has decided",
      advice: "Ask the administrator to allow the app.",
    },
  ],
  [
    "failedPrecondition",
    {
      problem: "refused",
      happened: "refused the request because the account has no mailbox, or is not ready for it",
      advice: "Use an account with Gmail.",
    },
  ],
]);

const byStatus: ReadonlyMap<number, ServiceFailure> = new Map([
  [
    401,
    {
      problem: "credential_refused",
      happened: "refused the access token, also a new one",
      advice: tokenAdvice,
    },
  ],
  [
    404,
    {
      problem: "not_found",
      happened: "has no mail or thread of this id",
      advice: "Use an id that gmail_search returned.",
    },
  ],
  [413, { problem: "refused", happened: "refused the mail because it is too large", advice: "Send a shorter text." }],
]);

/**
 * Returns the meaning of an error reply of Gmail, by the reason in it or by its status. Returns `undefined` if both are
 * unknown.
 */
function explain(reply: ServiceReply): ServiceFailure | undefined {
  const error = readObject(readObject(reply.tryJson())["error"]);
  const named = [...readObjects(error["details"]), ...readObjects(error["errors"])].map(({ reason }) =>
    readText(reason),
  );
  const known = named.map((reason) => reasons.get(reason)).find((failure) => failure !== undefined);
  return known ?? byStatus.get(reply.status);
}
