import { TroupeError } from "@troupe/core";
import type { ErrorCode } from "@troupe/core";
import { cutText, getOwn, readObject, readRetryAfter, readText } from "@troupe/core/kit";
import type { ReplyHeaders } from "@troupe/core/kit";

/**
 * The ways in which an exchange with a remote agent fails. `form`: the answer is not an A2A message, or breaks the
 * rules of A2A.
 */
type FailureKind = "unreachable" | "timeout" | "form" | "redirect" | "untrusted" | "status" | "rpc";

/** Facts of a failed exchange with a remote agent, beside its kind. */
type FailureFacts = {
  /**
   * A description of the failure as the end of a sentence that begins with the agent's name, such as `did not answer in
   * time`. It never quotes the agent.
   */
  happened: string;
  status?: number | undefined;
  /** JSON-RPC error code. For HTTP+JSON, the code that matches the reason of the error. */
  rpcCode?: number | undefined;
  retryAfterMs?: number | undefined;
  /** The remote agent's own error text, for developers only. */
  remoteText?: string | undefined;
  cause?: unknown;
};

/** A failed exchange with a remote agent. `toRemoteError` turns it into the error of a run. */
export class RemoteFailure extends Error {
  readonly kind: FailureKind;
  readonly happened: string;
  readonly status: number | undefined;
  readonly rpcCode: number | undefined;
  readonly retryAfterMs: number | undefined;

  constructor(kind: FailureKind, { happened, status, rpcCode, retryAfterMs, remoteText, cause }: FailureFacts) {
    super(remoteText ?? happened, cause === undefined ? undefined : { cause });
    this.kind = kind;
    this.happened = happened;
    this.status = status;
    this.rpcCode = rpcCode;
    this.retryAfterMs = retryAfterMs;
  }

  /** True if the exchange broke off or the agent was busy (429 or 5xx), so that the task may still be running. */
  get isDropped(): boolean {
    const isBusy = this.kind === "status" && (this.status === 429 || (this.status ?? 0) >= 500);
    return this.kind === "unreachable" || this.kind === "timeout" || isBusy;
  }

  /** True if the endpoint does not know the method or the version, so that the call had no effect. */
  get isUnknownMethod(): boolean {
    if (this.kind === "rpc") return this.rpcCode === -32601 || this.rpcCode === -32009;
    return this.kind === "status" && [404, 405, 501].includes(this.status ?? 0);
  }
}

/** Makes the failure of an answer that breaks the rules of the protocol. */
export function badForm(happened: string, cause?: unknown): RemoteFailure {
  return new RemoteFailure("form", { happened, cause });
}

const longestText = 1000;

/** JSON-RPC codes by the `reason` of HTTP+JSON errors. */
const codesOfReasons: Readonly<Record<string, number>> = {
  TASK_NOT_FOUND: -32001,
  TASK_NOT_CANCELABLE: -32002,
  PUSH_NOTIFICATION_NOT_SUPPORTED: -32003,
  UNSUPPORTED_OPERATION: -32004,
  CONTENT_TYPE_NOT_SUPPORTED: -32005,
  INVALID_AGENT_RESPONSE: -32006,
  EXTENDED_AGENT_CARD_NOT_CONFIGURED: -32007,
  EXTENSION_SUPPORT_REQUIRED: -32008,
  VERSION_NOT_SUPPORTED: -32009,
};

/** Returns the failure for an error in a reply of JSON-RPC or HTTP+JSON. */
export function failureOfError(error: unknown, status?: number): RemoteFailure {
  const { code, message, details } = readObject(error);
  const reasons = Array.isArray(details) ? details.map((detail) => readText(readObject(detail)["reason"])) : [];
  const ofReason = reasons.map((reason) => getOwn(codesOfReasons, reason)).find((known) => known !== undefined);
  const rpcCode = ofReason ?? (Number.isSafeInteger(code) && (code as number) < 0 ? (code as number) : undefined);
  const remoteText = cutText(readText(message), longestText) || undefined;
  if (rpcCode === undefined) return failureOfStatus(status ?? toStatus(code), undefined, remoteText);
  return new RemoteFailure("rpc", { happened: `refused the call (error ${rpcCode})`, status, rpcCode, remoteText });
}

function toStatus(code: unknown): number {
  return Number.isInteger(code) && (code as number) >= 400 && (code as number) <= 599 ? (code as number) : 500;
}

/** Returns the failure for the HTTP status of a remote agent's reply. */
export function failureOfStatus(status: number, headers?: ReplyHeaders, remoteText?: string): RemoteFailure {
  const facts = { status, remoteText, retryAfterMs: headers === undefined ? undefined : readRetryAfter(headers) };
  if (status === 401 || status === 403) {
    const scheme = /^[A-Za-z][\w-]{0,31}/.exec(headers?.get("www-authenticate") ?? "")?.[0];
    const wants = scheme === undefined ? "" : `, and asks for ${scheme}`;
    const happened = `refused the credentials (HTTP status ${status}${wants}). Check headers`;
    return new RemoteFailure("status", { ...facts, happened });
  }
  if (status === 429) return new RemoteFailure("status", { ...facts, happened: "gets too many requests" });
  return new RemoteFailure("status", { ...facts, happened: `answered with the HTTP status ${status}` });
}

/**
 * Turns an error of the network, or of a reply that cannot be read, into a `RemoteFailure`. Returns other errors
 * unchanged.
 */
export function toRemoteFailure(thrown: unknown): unknown {
  if (thrown instanceof RemoteFailure) return thrown;
  if (TroupeError.is(thrown)) return ofNetwork(thrown);
  const happened = readText(readObject(thrown)["happened"]);
  if (happened.startsWith("ended the stream")) return new RemoteFailure("unreachable", { happened, cause: thrown });
  return happened === "" ? thrown : badForm(happened, thrown);
}

function ofNetwork(error: TroupeError): unknown {
  const { status } = error.fields;
  if (typeof status === "number" && status >= 300 && status <= 399) {
    const happened = `answered with a redirect (HTTP status ${status}), which is not followed. Set url to the address that it leads to`;
    return new RemoteFailure("redirect", { happened, status });
  }
  if (error.code === "timeout")
    return new RemoteFailure("timeout", { happened: "did not answer in time", cause: error });
  if (error.code !== "unavailable") return error;
  const happened = "cannot be reached, or the connection broke off";
  return new RemoteFailure("unreachable", { happened, cause: error });
}

/**
 * Makes the error of a run or a call from a failure of a remote agent. Its message names the agent and the failure; the
 * remote agent's own words appear only in its cause. Returns other errors unchanged.
 */
export function toRemoteError(thrown: unknown, agent: string): unknown {
  const failure = toRemoteFailure(thrown);
  if (!(failure instanceof RemoteFailure)) return failure;
  const { status, rpcCode, retryAfterMs, happened } = failure;
  const fields = {
    remote: agent,
    ...(status !== undefined && { status }),
    ...(rpcCode !== undefined && { rpcCode }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  };
  const message = `The remote agent ${JSON.stringify(agent)} ${happened}.`;
  return new TroupeError(codeOf(failure), message, { cause: failure, fields });
}

function codeOf({ kind, status, rpcCode }: RemoteFailure): ErrorCode {
  if (kind === "timeout") return "timeout";
  if (kind === "rpc") return rpcCode === -32602 || rpcCode === -32005 ? "invalid_request" : "model_failed";
  return status === 429 ? "rate_limited" : "model_failed";
}
