import { createMasker } from "../util/create-masker.ts";
import type { ContextExcess } from "./context-excess.ts";
import { findErrorCode } from "./find-error-code.ts";
import { scrubbedCause } from "./scrubbed-cause.ts";
import { TroupeError } from "./troupe-error.ts";
import type { ErrorCode, ErrorFields } from "./troupe-error.ts";

/** Facts of a failed model call, from which a provider makes a `ModelError`. */
export type ModelFailure = {
  providerId: string;
  /** HTTP status, or the status that corresponds to the vendor's error type. */
  status?: number | undefined;
  /** Error code of the vendor, such as `insufficient_quota`. */
  vendorCode?: string | undefined;
  /** `ECONNRESET` for a truncated response, `ETIMEDOUT` for a stalled response. @default found among the causes */
  networkCode?: string | undefined;
  /**
   * A description of the failure that follows the vendor's name in the message, instead of a status or network code:
   * "ended the stream before its last event".
   */
  happened?: string | undefined;
  /** Milliseconds that the vendor asks to wait before a retry. */
  retryAfterMs?: number | undefined;
  /** Set if the request exceeded the model's context, with the limit if the vendor reported it. */
  contextExcess?: ContextExcess | undefined;
  /** Further values to remove from the cause, such as a header of the user's gateway. */
  secrets?: readonly string[];
  /** False removes all text of the vendor from the cause, for a call whose API key is unknown. @default true */
  withText?: boolean | undefined;
  /**
   * API key of the call, which is removed from the cause. If the caller's key was refused, the error is `unauthorized`.
   */
  key?: { readonly value: string; readonly fromCaller: boolean } | undefined;
  /** Environment variables whose key was not sent, because the address is not the vendor's own. */
  withheldKeys?: readonly string[] | undefined;
  /** Error of the vendor, its SDK or the network. */
  cause?: unknown;
};

/**
 * Error of a failed model call. Its message and fields quote no text of the vendor. For the developer of the service,
 * that text is in `cause`, shortened and without the call's API key. It is omitted if the key was refused or is
 * unknown.
 */
export class ModelError extends TroupeError {
  readonly providerId: string;
  readonly status: number | undefined;
  readonly vendorCode: string | undefined;
  readonly networkCode: string | undefined;
  readonly retryAfterMs: number | undefined;

  constructor(failure: ModelFailure) {
    const facts = readFacts(failure);
    super(codeOf(facts), sentenceOf(facts), { cause: causeOf(failure, facts), fields: fieldsOf(facts) });
    this.providerId = facts.providerId;
    this.status = facts.status;
    this.vendorCode = facts.vendorCode;
    this.networkCode = facts.networkCode;
    this.retryAfterMs = facts.retryAfterMs;
  }
}

Object.defineProperty(ModelError.prototype, "name", { value: "ModelError", configurable: true, writable: true });

type Facts = {
  providerId: string;
  status: number | undefined;
  vendorCode: string | undefined;
  networkCode: string | undefined;
  happened: string | undefined;
  retryAfterMs: number | undefined;
  /** True if the vendor refused the API key. */
  refused: boolean;
  callersKey: boolean;
  withheldKeys: readonly string[] | undefined;
  contextExcess: ContextExcess | undefined;
};

/**
 * Returns the facts of a failed model call without malformed values, because vendors and gateways may send any status
 * or code.
 */
function readFacts(failure: ModelFailure): Facts {
  const { providerId, status, vendorCode, retryAfterMs, key, cause } = failure;
  const secrets = [...(failure.secrets ?? []), ...(key === undefined ? [] : [key.value])];
  return {
    providerId,
    status: Number.isInteger(status) ? status : undefined,
    vendorCode: isCodeWord(vendorCode, secrets) ? vendorCode : undefined,
    networkCode: failure.networkCode ?? findErrorCode(cause),
    happened: failure.happened,
    retryAfterMs: isWait(retryAfterMs) ? Math.ceil(retryAfterMs) : undefined,
    refused: status === 401 || status === 403,
    callersKey: key?.fromCaller === true,
    withheldKeys: failure.withheldKeys,
    contextExcess: failure.contextExcess,
  };
}

function isCodeWord(text: string | undefined, secrets: readonly string[]): boolean {
  if (text === undefined || !/^[A-Za-z][\w.]{0,63}$/.test(text)) return false;
  return !secrets.some((secret) => secret.length > 3 && text.includes(secret));
}

function isWait(waitMs: number | undefined): waitMs is number {
  return waitMs !== undefined && Number.isFinite(waitMs) && waitMs >= 0;
}

function codeOf({ status, networkCode, refused, callersKey, contextExcess }: Facts): ErrorCode {
  if (contextExcess !== undefined) return "context_too_long";
  if (status === 429) return "rate_limited";
  if (refused) return callersKey ? "unauthorized" : "model_failed";
  if (status === 408 || status === 504) return "timeout";
  if (status === undefined && networkCode === "ETIMEDOUT") return "timeout";
  return "model_failed";
}

function sentenceOf(facts: Facts): string {
  const { providerId, status, contextExcess, refused } = facts;
  if (contextExcess !== undefined) return sentenceOfExcess(providerId, contextExcess);
  if (status === 429) return `${providerId} limits the rate of requests (status 429). Try again later.`;
  return (refused ? sentenceOfRefusal(facts) : undefined) ?? sentenceOfFailure(facts);
}

/** Returns the sentence of the message for a call that the vendor refused, if another API key can solve the problem. */
function sentenceOfRefusal(facts: Facts): string | undefined {
  const { providerId, status, callersKey, withheldKeys } = facts;
  if (callersKey) return `${providerId} refused the API key of this request (status ${status}). Pass a valid key.`;
  return withheldKeys === undefined ? undefined : sentenceOfWithheld(facts, withheldKeys);
}

function sentenceOfFailure({ providerId, status, networkCode, happened }: Facts): string {
  if (happened !== undefined) return `${providerId} ${happened}.`;
  if (status !== undefined) return `${providerId} could not answer (status ${status}).`;
  if (networkCode === "ETIMEDOUT") return `${providerId} did not answer in time.`;
  if (networkCode !== undefined) return `The connection to ${providerId} failed (${networkCode}).`;
  return `${providerId} could not answer.`;
}

function sentenceOfWithheld({ providerId, status }: Facts, names: readonly string[]): string {
  const which = names.length === 0 ? "" : ` ${names.join(" and ")} goes to the vendor's own hosts only.`;
  return `${providerId} refused a request without an API key (status ${status}).${which} Pass apiKey, or set useEnvironmentKey of the model to true.`;
}

function sentenceOfExcess(providerId: string, { limit }: ContextExcess): string {
  const than = limit === undefined ? "" : `, which is ${limit} tokens`;
  return `${providerId} refused the request: it is longer than the context of the model${than}. Shorten the input or the conversation.`;
}

function fieldsOf({ providerId, status, retryAfterMs, contextExcess }: Facts): ErrorFields {
  return {
    vendor: providerId,
    ...(status === undefined ? {} : { status }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(contextExcess?.limit === undefined ? {} : { limit: contextExcess.limit }),
  };
}

function causeOf({ cause, key, secrets = [], withText = true }: ModelFailure, { refused }: Facts): Error | undefined {
  const mask = createMasker(key === undefined ? secrets : [key.value, ...secrets]);
  // A vendor that refuses a key may quote a part of the key, which cannot be recognised. The vendor's text is therefore
  // omitted.
  return scrubbedCause(cause, { mask, withText: withText && !refused });
}
