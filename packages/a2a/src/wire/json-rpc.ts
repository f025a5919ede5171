import { A2AError, httpStatusOf } from "./a2a-error.ts";
import type { RpcError } from "./a2a-error.ts";
import type { Dialect } from "./dialect.ts";
import type { Answered } from "./stream-frames.ts";

/** The id of a request. `null` answers a request without one, or one that could not be read. */
export type RpcId = string | number | null;

/** A JSON-RPC request whose frame is right. */
export type RpcRequest = { id: RpcId; method: string; params: Readonly<Record<string, unknown>> };

/** The levels that parameters may nest. Deeper values could overflow the stack of what walks them. */
const maxDepth = 64;
/** The length of an id: every frame of a stream repeats it. */
const maxIdLength = 256;

/** Parses the body of a request. Throws `parse-error` for bytes that are not UTF-8 or not JSON. */
export function parseBody(body: string | Uint8Array): unknown {
  try {
    return JSON.parse(typeof body === "string" ? body : new TextDecoder("utf-8", { fatal: true }).decode(body));
  } catch {
    throw new A2AError("parse-error", "The body is not valid JSON.");
  }
}

/** Returns the id of a request, for its answer: null where there is none, or none that may be sent back. */
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
 * Reads the frame of a request. A request without an id is answered too, with the id null: clients of A2A expect an answer
 * to every request. Throws `invalid-request`, or for parameters of the wrong form `invalid-params`.
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
  // The test kit of 0.3 puts a whole request there and expects this code.
  if (typeof method === "object" && method !== null) {
    throw new A2AError("method-not-found", "method must be a string, such as message/send.");
  }
  throw invalidRequest("method must be a string");
}

function readParams(request: object): Readonly<Record<string, unknown>> {
  const params = Object.hasOwn(request, "params") ? (request as { params?: unknown }).params : undefined;
  return params === undefined || params === null ? {} : checkParams(params, "params");
}

/** Checks an object of parameters. Throws `invalid-params` for what is none, and for values that nothing can store. */
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

/** Describes what no storage and no vendor takes: too many levels, half of a surrogate pair, a number without end. */
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

/** Returns the form of the answer to a request. An error is HTTP 200, as far as it is one of the protocol. */
export function answerTo(id: RpcId, dialect: Dialect): Answered {
  return {
    dialect,
    mediaType: "application/json",
    writeResult: (result) => writeResult(id, result),
    writeFailure: (error) => writeFailure(id, dialect.writeError(error)),
    statusOf: (error) => (error.fields["code"] === "payload_too_large" ? 413 : httpStatusOf(error)),
  };
}

/** Writes the response to a request. */
export function writeResult(id: RpcId, result: object | null): string {
  return JSON.stringify({ jsonrpc: "2.0", id, result });
}

/** Writes the response to a request that failed. */
export function writeFailure(id: RpcId, error: RpcError): string {
  return JSON.stringify({ jsonrpc: "2.0", id, error });
}
