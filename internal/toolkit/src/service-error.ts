import { TroupeError } from "@troupe/core";
import type { ErrorCode } from "@troupe/core";

/** The wording of a problem: the error code, a description of the failure, and the default advice. */
type Wording = { code: ErrorCode; happened: string; advice: string };

const wordings = {
  blocked: {
    code: "forbidden",
    happened: "blocked this automated request",
    advice: "Do not repeat it soon: use another tool.",
  },
  credential_missing: { code: "unauthorized", happened: "needs a credential", advice: "Configure it." },
  credential_refused: {
    code: "unauthorized",
    happened: "refused the credential, which may be wrong, expired or revoked",
    advice: "Calling again does not help: a new one has to be configured.",
  },
  forbidden: {
    code: "forbidden",
    happened: "does not allow this request",
    advice: "The credential or the account may lack a permission.",
  },
  quota_exceeded: {
    code: "rate_limited",
    happened: "refused the request because the quota of the account is used up",
    advice: "Calling again does not help until the quota is renewed or raised.",
  },
  rate_limited: {
    code: "rate_limited",
    happened: "gets too many requests",
    advice: "Wait a minute before the next call.",
  },
  not_found: { code: "not_found", happened: "has nothing of this name", advice: "Check the arguments." },
  refused: { code: "invalid_request", happened: "refused the request", advice: "Change the arguments." },
  unavailable: { code: "unavailable", happened: "does not work at the moment", advice: "Try again later." },
  unreachable: {
    code: "unavailable",
    happened: "cannot be reached, or the connection broke off",
    advice: "Try again, and check the network if it fails again.",
  },
  timeout: {
    code: "timeout",
    happened: "did not answer in time",
    advice: "Try again later, or raise timeoutMs of the toolkit.",
  },
  unreadable: {
    code: "unavailable",
    happened: "sent an answer that cannot be read",
    advice: "Try again later.",
  },
  too_large: { code: "unavailable", happened: "sent an answer that is too large", advice: "Ask for less." },
  outcome_unknown: {
    code: "unavailable",
    happened: "did not confirm the request, which may have been carried out all the same",
    advice: "Do not repeat it before you know.",
  },
  redirected: {
    code: "unavailable",
    happened: "answered with a redirect, which is not followed",
    advice: "Check baseURL of the toolkit.",
  },
} as const satisfies Record<string, Wording>;

/** A way in which a service fails a tool: the field `problem` of a `serviceError`. */
export type ServiceProblem = keyof typeof wordings;

/** Facts about a failure of a service. They never quote the service's answer. */
export type ServiceFailure = {
  problem: ServiceProblem;
  /**
   * A description of the failure that follows the name of the service in the error's message. @default words for the
   * `problem`
   */
  happened?: string | undefined;
  /** Advice for the model or the operator, at the end of the message. @default a sentence for the `problem` */
  advice?: string | undefined;
  /** The HTTP status of the service's reply. */
  status?: number | undefined;
  /** Milliseconds that the service asks to wait. */
  retryAfterMs?: number | undefined;
  /** The code of a network failure, like `ECONNRESET`. */
  networkCode?: string | undefined;
};

/**
 * Makes the error of a tool whose service failed. The message describes the failure and gives advice, and is safe for
 * models and clients. The error's fields have the service, the problem, the status and the time to wait.
 */
export function serviceError(service: string, failure: ServiceFailure): TroupeError {
  const { problem, status, retryAfterMs, networkCode } = failure;
  const { code, ...usual } = wordings[problem];
  const { happened = usual.happened, advice = adviceFor(retryAfterMs) ?? usual.advice } = failure;
  const shownStatus = status === undefined ? "" : ` (status ${status})`;
  return new TroupeError(code, `${service} ${happened}${shownStatus}. ${advice}`, {
    fields: {
      service,
      problem,
      ...(status !== undefined && { status }),
      ...(retryAfterMs !== undefined && { retryAfterMs }),
    },
    // The network error itself is not set as the cause, because it may contain the URL of a request, and with it a key.
    ...(networkCode !== undefined && { cause: networkError(networkCode) }),
  });
}

function adviceFor(retryAfterMs: number | undefined): string | undefined {
  if (retryAfterMs === undefined) return undefined;
  const seconds = Math.max(1, Math.ceil(retryAfterMs / 1000));
  return `Wait ${seconds} ${seconds === 1 ? "second" : "seconds"} before the next call.`;
}

function networkError(code: string): Error {
  return Object.assign(new Error(`The network failed with ${code}.`), { code });
}

/** Returns the problem for the HTTP status of a reply that is not 2xx. */
export function problemOfStatus(status: number): ServiceProblem {
  const known = problems.get(status);
  if (known !== undefined) return known;
  if (status >= 500) return "unavailable";
  return status >= 400 ? "refused" : "unreadable";
}

const problems: ReadonlyMap<number, ServiceProblem> = new Map([
  [401, "credential_refused"],
  [402, "quota_exceeded"],
  [403, "forbidden"],
  [404, "not_found"],
  [408, "unavailable"],
  [410, "not_found"],
  [429, "rate_limited"],
]);
