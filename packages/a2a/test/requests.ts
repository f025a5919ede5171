import { parseCall } from "../src/wire/parse-call.ts";
import type { A2AVersion } from "../src/wire/dialect.ts";
import type { ParsedCall } from "../src/wire/parse-call.ts";
import type { RpcId } from "../src/wire/json-rpc.ts";

/** A message of a client, as 0.x has it. */
export const message0 = { kind: "message", messageId: "m", role: "user", parts: [{ kind: "text", text: "hi" }] };
/** The same message as 1.0 has it. */
export const message1 = { messageId: "m", role: "ROLE_USER", parts: [{ text: "hi" }] };
/** The same message as it is read from both. */
export const neutral = { messageId: "m", role: "user", parts: [{ kind: "text", text: "hi" }] };

/** Makes a JSON-RPC request. */
export function request(method: unknown, params?: unknown, id: unknown = 1): object {
  return { jsonrpc: "2.0", id, method, params };
}

/** Reads a call from a request. */
export function parse(body: unknown, version?: string): ParsedCall {
  return parseCall(JSON.stringify(body), version);
}

/** The error of a call as it is written, with the id and the version of its answer. */
export type WrittenError = { id: RpcId; dialect: A2AVersion; code?: number; message?: string; data?: unknown };

/** Returns the error that a request gets. */
export function errorOf(body: unknown, version?: string): WrittenError {
  const { id, dialect, error } = parse(body, version);
  return { id, dialect: dialect.version, ...(error && dialect.writeError(error)) };
}
