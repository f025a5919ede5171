import { getOwn } from "@troupe/core/kit";
import { A2AError, toError1 } from "../wire/a2a-error.ts";
import type { A2AErrorKind } from "../wire/a2a-error.ts";

/** An HTTP status, and its canonical name in google.rpc. */
type RestStatus = readonly [code: number, status: string];

const byKind: Readonly<Record<A2AErrorKind, RestStatus>> = {
  "parse-error": [400, "INVALID_ARGUMENT"],
  "invalid-request": [400, "INVALID_ARGUMENT"],
  "method-not-found": [404, "NOT_FOUND"],
  "invalid-params": [400, "INVALID_ARGUMENT"],
  internal: [500, "INTERNAL"],
  "task-not-found": [404, "NOT_FOUND"],
  "task-not-cancelable": [400, "FAILED_PRECONDITION"],
  "push-not-supported": [400, "FAILED_PRECONDITION"],
  "unsupported-operation": [400, "FAILED_PRECONDITION"],
  // This error concerns the media type of the request's body, never that of a message part.
  "content-type-not-supported": [415, "INVALID_ARGUMENT"],
  "extended-card-not-configured": [400, "FAILED_PRECONDITION"],
  "version-not-supported": [400, "FAILED_PRECONDITION"],
};

/** Statuses for core error codes that are more precise than the A2A error they become. */
const byCode: Readonly<Record<string, RestStatus>> = {
  unauthorized: [401, "UNAUTHENTICATED"],
  forbidden: [403, "PERMISSION_DENIED"],
  payload_too_large: [413, "INVALID_ARGUMENT"],
  rate_limited: [429, "RESOURCE_EXHAUSTED"],
  interrupted: [503, "UNAVAILABLE"],
  storage_unavailable: [503, "UNAVAILABLE"],
  unavailable: [503, "UNAVAILABLE"],
  timeout: [504, "DEADLINE_EXCEEDED"],
};

/** Returns the HTTP status of an error, and its canonical name. */
export function restStatusOf({ kind, fields }: A2AError): RestStatus {
  // An error with `allow` means that the path exists, but not for this HTTP method.
  if ("allow" in fields) return [405, "UNIMPLEMENTED"];
  const ofCode = typeof fields["code"] === "string" ? getOwn(byCode, fields["code"]) : undefined;
  return ofCode ?? byKind[kind];
}

/** Writes an error in the form of the HTTP+JSON binding: a google.rpc.Status with typed details. */
export function writeRestError(error: A2AError): string {
  const { message, data: details } = toError1(withoutRoot(error));
  const [code, status] = restStatusOf(error);
  return JSON.stringify({ error: { code, status, message, details } });
}

const root = "params.";

/** Removes `params` from the field path of an error, because requests of this binding have no `params`. */
function withoutRoot(error: A2AError): A2AError {
  const { kind, message, fields } = error;
  const { field } = fields;
  if (typeof field !== "string" || !field.startsWith(root)) return error;
  return new A2AError(kind, message.replace(root, ""), { ...fields, field: field.slice(root.length) });
}
