import { TroupeError } from "@troupe/core";
import type { ErrorCode, ErrorFields } from "@troupe/core";
import { getOwn } from "@troupe/core/kit";
import { toPublicError } from "@troupe/core/transport";

/** An error of JSON-RPC or A2A: its JSON-RPC code, its reason in A2A 1.0, and our own error code. */
type WireError = { readonly rpc: number; readonly reason?: string; readonly own: ErrorCode };

/** All errors that a client can get, by the names that this server uses for them. */
const wireErrors = {
  "parse-error": { rpc: -32700, own: "invalid_request" },
  "invalid-request": { rpc: -32600, own: "invalid_request" },
  "method-not-found": { rpc: -32601, own: "invalid_request" },
  "invalid-params": { rpc: -32602, own: "invalid_request" },
  internal: { rpc: -32603, own: "internal" },
  "task-not-found": { rpc: -32001, reason: "TASK_NOT_FOUND", own: "not_found" },
  "task-not-cancelable": { rpc: -32002, reason: "TASK_NOT_CANCELABLE", own: "conflict" },
  "push-not-supported": { rpc: -32003, reason: "PUSH_NOTIFICATION_NOT_SUPPORTED", own: "invalid_request" },
  "unsupported-operation": { rpc: -32004, reason: "UNSUPPORTED_OPERATION", own: "invalid_request" },
  "content-type-not-supported": { rpc: -32005, reason: "CONTENT_TYPE_NOT_SUPPORTED", own: "unsupported_media_type" },
  "extended-card-not-configured": {
    rpc: -32007,
    reason: "EXTENDED_AGENT_CARD_NOT_CONFIGURED",
    own: "invalid_request",
  },
  "version-not-supported": { rpc: -32009, reason: "VERSION_NOT_SUPPORTED", own: "invalid_request" },
} as const satisfies Record<string, WireError>;

/** The name of an error that a client can get. */
export type A2AErrorKind = keyof typeof wireErrors;

/** An error that a client gets as an error of JSON-RPC or HTTP+JSON. Its message is written for the client. */
export class A2AError extends TroupeError {
  readonly kind: A2AErrorKind;

  constructor(kind: A2AErrorKind, message: string, fields: ErrorFields = {}) {
    super(wireErrors[kind].own, message, { fields });
    this.kind = kind;
  }
}

/** Makes the error of a parameter with a wrong value: "params.message.role must be …". */
export function wrongParam(field: string, expected: string): A2AError {
  return new A2AError("invalid-params", `${field} must be ${expected}.`, { field });
}

/**
 * The wire error or the task state for each core error code. A code with a state ends a run: the client gets it as an
 * error only if no task exists yet.
 */
const byCode: Readonly<Record<ErrorCode, { kind: A2AErrorKind; state?: "failed" | "rejected" | "canceled" }>> = {
  invalid_request: { kind: "invalid-params" },
  unauthorized: { kind: "invalid-request", state: "failed" },
  forbidden: { kind: "invalid-request" },
  not_found: { kind: "invalid-params" },
  conflict: { kind: "invalid-params" },
  payload_too_large: { kind: "invalid-params" },
  unsupported_media_type: { kind: "content-type-not-supported" },
  guardrail_blocked: { kind: "invalid-params", state: "rejected" },
  rate_limited: { kind: "internal", state: "failed" },
  cancelled: { kind: "internal", state: "canceled" },
  gone: { kind: "task-not-found" },
  idempotency_mismatch: { kind: "invalid-params" },
  interrupted: { kind: "internal" },
  crashed: { kind: "internal", state: "failed" },
  internal: { kind: "internal", state: "failed" },
  model_failed: { kind: "internal", state: "failed" },
  structured_output_invalid: { kind: "internal", state: "failed" },
  context_too_long: { kind: "internal", state: "failed" },
  storage_unavailable: { kind: "internal" },
  storage_corrupt: { kind: "internal" },
  unavailable: { kind: "internal" },
  timeout: { kind: "internal", state: "failed" },
  limit_exceeded: { kind: "internal", state: "failed" },
  invalid_config: { kind: "internal" },
  invalid_value: { kind: "internal" },
};

/** A2A errors for the two core error codes that mean something else in calls about an existing task. */
const byCodeOfTask: Partial<Record<ErrorCode, A2AErrorKind>> = {
  not_found: "task-not-found",
  conflict: "task-not-cancelable",
};

/** Returns the state of a task whose run failed with this code. */
export function stateOfFailure(code: ErrorCode): "failed" | "rejected" | "canceled" {
  return getOwn(byCode, code)?.state ?? "failed";
}

/**
 * Turns a thrown value into an error for the client. With `about` set to `"task"`, an unknown name or a conflict
 * concerns the task and becomes an A2A error. Otherwise it becomes an error of the parameters.
 */
export function toA2AError(thrown: unknown, about: "task" | "request" = "request"): A2AError {
  if (thrown instanceof A2AError) return thrown;
  const { code, message, ...fields } = toPublicError(thrown);
  const kind = about === "task" ? byCodeOfTask[code] : undefined;
  return new A2AError(kind ?? byCode[code].kind, message, { ...fields, code });
}

/** Returns the HTTP status of a JSON-RPC error: 200, except for a client without credentials or permission. */
export function httpStatusOf({ fields }: A2AError): 200 | 401 | 403 {
  if (fields["code"] === "unauthorized") return 401;
  return fields["code"] === "forbidden" ? 403 : 200;
}

/** A JSON-RPC error object. */
export type RpcError = { code: number; message: string; data?: unknown };

/** Writes an error for A2A 0.x, where `data` may be anything: here the code and the fields. */
export function toError0({ kind, message, fields }: A2AError): RpcError {
  const { rpc: code, own } = wireErrors[kind];
  return { code, message, data: { code: own, ...fields } };
}

const errorInfo = "type.googleapis.com/google.rpc.ErrorInfo";
const badRequest = "type.googleapis.com/google.rpc.BadRequest";

/** Writes an error for A2A 1.0: `data` is an array of typed details. A2A's own errors have an ErrorInfo. */
export function toError1({ kind, message, fields }: A2AError): RpcError {
  const { rpc: code, own, reason }: WireError = wireErrors[kind];
  const { code: given, field, ...others } = fields;
  const metadata = Object.fromEntries(Object.entries(others).map(([name, value]) => [name, String(value)]));
  const domain = reason === undefined ? "troupe" : "a2a-protocol.org";
  const info = { "@type": errorInfo, reason: reason ?? String(given ?? own).toUpperCase(), domain, metadata };
  const violation = { "@type": badRequest, fieldViolations: [{ field, description: message }] };
  return { code, message, data: field === undefined ? [info] : [info, violation] };
}
