import { A2AError, httpStatusOf } from "./a2a-error.ts";
import type { RpcError } from "./a2a-error.ts";
import type { Dialect } from "./dialect.ts";
import type { Answered } from "./stream-frames.ts";

/** The id of a JSON-RPC request. `null` answers a request whose id is missing or unreadable. */
export type RpcId = string | number | null;

/** A JSON-RPC request. All its fields except the parameters have been checked. */
export type RpcRequest = { id: RpcId; method: string; params: Readonly<Record<string, unknown>> };

/** Deepest nesting of a request's parameters: code that walks a deeper value could overflow the stack. */
const maxDepth = 64;
/** Longest id of a request, in characters: every frame of a stream repeats it. */
const maxIdLength = 256;

/** Parses the body of a request. Throws `parse-error` for bytes that are not UTF-8 or not JSON. */
export function parseBody(body: string | Uint8Array): unknown {
  try {
    return JSON.parse(typeof body === "string" ? body : new TextDecoder("utf-8", { fatal: true }).decode(body));
  } catch {
    throw new A2AError("parse-error", "The body is not valid JSON.");
  }
}

/** Returns the id of a request for its answer: null if the id is missing or must not be sent back. */
export function readId(request: unknown): RpcId {
  const id = typeof request === "object" && request !== null && Object.hasOwn(request, "id") ? request : {};
  const { id: value } = id as { id?: unknown };
  return isId(value) ? value : null;
}

function isId(value: unknown): value is RpcId {
  if (typeof value === "string") return value.length <= maxIdLength && value.isWellFormed();
  return value === null || (typeof value === "number" && Number.isFinite(value));
}

/**
 * Reads a JSON-RPC request, but not the fields of its parameters. A request without an id gets the id null: A2A clients
 * expect an answer to every request. Throws `invalid-request`, `method-not-found` for an object as the method, or
 * `invalid-params` for parameters of the wrong type.
 */
export function readRequest(body: unknown): RpcRequest {
  if (Array.isArray(body)) throw new A2AError("invalid-request", "Batches are not supported. Send one request.");
  if (typeof body !== "object" || body === null) throw invalidRequest("The body must be a JSON-RPC request object");
  const { jsonrpc, method, id } = body as Record<string, unknown>;
  if (jsonrpc !== "2.0") throw invalidRequest('jsonrpc must be "2.0"');
  if (Object.hasOwn(body, "id") && !isId(id)) {
    throw invalidRequest(`id must be a string of at most ${maxIdLength} characters, a number or null`);
  }
  return { id: readId(body), method: readMethodName(method), params: readParams(body) };
}

function readMethodName(method: unknown): string {
  if (typeof method === "string" && method !== "") return method;
  // The conformance kit of A2A 0.3 puts a whole request into `method` and expects the error "method not found".
  if (typeof method === "object" && method !== null) {
    throw new A2AError("method-not-found", "method must be a string, such as message/send.");
  }
  throw invalidRequest("method must be a string");
}

function readParams(request: object): Readonly<Record<string, unknown>> {
  const params = Object.hasOwn(request, "params") ? (request as { params?: unknown }).params : undefined;
  return params === undefined || params === null ? {} : checkParams(params, "params");
}

/**
 * Checks an object of parameters. Throws `invalid-params` if it is not an object or has values that no storage accepts.
 */
export function checkParams(params: unknown, field: string): Readonly<Record<string, unknown>> {
  const isObject = typeof params === "object" && params !== null && !Array.isArray(params);
  const problem = isObject ? problemOfParams(params) : "must be an object";
  if (problem !== undefined) throw new A2AError("invalid-params", `${field} ${problem}.`, { field });
  return params as Record<string, unknown>;
}

function problemOfParams(params: object): string | undefined {
  return Object.hasOwn(params, "") ? "has a field without a name" : problemOf(params, maxDepth);
}

function invalidRequest(problem: string): A2AError {
  return new A2AError("invalid-request", `${problem}.`);
}

/**
 * Describes the part of a value that no storage and no vendor accepts: too deep nesting, half a surrogate pair, or an
 * infinite number.
 */
function problemOf(value: unknown, depth: number): string | undefined {
  switch (typeof value) {
    case "string":
      return value.isWellFormed() ? undefined : "holds an unpaired surrogate, which is no character";
    case "number":
      return Number.isFinite(value) ? undefined : "holds a number that is too large";
    case "object":
      return value === null ? undefined : problemWithin(value, depth);
    default:
      return undefined;
  }
}

function problemWithin(value: object, depth: number): string | undefined {
  if (depth === 0) return `nests deeper than ${maxDepth} levels`;
  const isArray = Array.isArray(value);
  for (const key in value) {
    const problem =
      (isArray || key.isWellFormed() ? undefined : "has a field whose name holds an unpaired surrogate") ??
      problemOf((value as Record<string, unknown>)[key], depth - 1);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** Returns the form of the answer to a JSON-RPC request. Errors have the HTTP status 200, except 401, 403 and 413. */
export function answerTo(id: RpcId, dialect: Dialect): Answered {
  return {
    dialect,
    mediaType: "application/json",
    writeResult: (result) => writeResult(id, result),
    writeFailure: (error) => writeFailure(id, dialect.writeError(error)),
    statusOf: (error) => (error.fields["code"] === "payload_too_large" ? 413 : httpStatusOf(error)),
  };
}

/** Writes the JSON-RPC response to a request. */
export function writeResult(id: RpcId, result: object | null): string {
  return JSON.stringify({ jsonrpc: "2.0", id, result });
}

/** Writes the JSON-RPC response to a request that failed. */
export function writeFailure(id: RpcId, error: RpcError): string {
  return JSON.stringify({ jsonrpc: "2.0", id, error });
}
