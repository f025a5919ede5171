import { checkSessionId } from "@troupe/core/transport";

/**
 * The content of a response id: a run in a session. A run that waits for its client is answered by several responses;
 * `part` is the number of the response, from 0.
 */
export type ResponseName = { readonly sessionId: string; readonly runId: string; readonly part: number };

/** The content of a call id: a run, and its question to the client. */
export type CallName = { readonly runId: string; readonly waitId: string };

const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;
const longestId = 512;

/** Returns the id of a response, which is opaque to clients. */
export function toResponseId({ sessionId, runId, part }: ResponseName): string {
  return `resp_${encode([sessionId, runId, ...(part === 0 ? [] : [String(part)])])}`;
}

/** Parses the id of a response. Returns undefined for any other string. */
export function parseResponseId(id: string): ResponseName | undefined {
  const [sessionId = "", runId = "", part = "0", ...more] = decode("resp_", id) ?? [];
  if (more.length > 0 || !uuid.test(runId) || !/^\d{1,4}$/.test(part) || !isSessionId(sessionId)) return undefined;
  return { sessionId, runId, part: Number(part) };
}

/** The prefixes of the ids of client tool calls, and of requests for approval. */
type CallPrefix = "call_" | "mcpr_";

/** Returns the id of a client tool call, or of a request for approval. */
export function toCallId({ runId, waitId }: CallName, prefix: CallPrefix = "call_"): string {
  return prefix + encode([runId, waitId]);
}

/**
 * Parses the id of a client tool call or a request for approval. Returns undefined for an id that this service did not
 * make.
 */
export function parseCallId(id: unknown, prefix: CallPrefix = "call_"): CallName | undefined {
  const [runId = "", ...waitId] = typeof id === "string" ? (decode(prefix, id) ?? []) : [];
  return uuid.test(runId) && waitId.length > 0 ? { runId, waitId: waitId.join("/") } : undefined;
}

function encode(parts: readonly string[]): string {
  return Buffer.from(parts.join("/")).toString("base64url");
}

function decode(prefix: string, id: string): string[] | undefined {
  if (!id.startsWith(prefix) || id.length > longestId) return undefined;
  return Buffer.from(id.slice(prefix.length), "base64url").toString().split("/");
}

function isSessionId(id: string): boolean {
  try {
    return checkSessionId(id) === id;
  } catch {
    return false;
  }
}
