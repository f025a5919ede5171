import { checkSessionId } from "@troupe/core/transport";

/**
 * The turn that the id of a response names: a run in a session. A run that waits for its client is answered by several
 * responses; `part` is the number of the response, from 0.
 */
export type ResponseName = { readonly sessionId: string; readonly runId: string; readonly part: number };

/** A call that waits for its client: a run and its question. */
export type CallName = { readonly runId: string; readonly waitId: string };

const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;
const longestId = 512;

/** Returns the id of a response, opaque for clients. */
export function toResponseId({ sessionId, runId, part }: ResponseName): string {
  return `resp_${encode([sessionId, runId, ...(part === 0 ? [] : [String(part)])])}`;
}

/** Reads the id of a response. Returns undefined for a string that is none. */
export function parseResponseId(id: string): ResponseName | undefined {
  const [sessionId = "", runId = "", part = "0", ...more] = decode("resp_", id) ?? [];
  if (more.length > 0 || !uuid.test(runId) || !/^\d{1,4}$/.test(part) || !isSessionId(sessionId)) return undefined;
  return { sessionId, runId, part: Number(part) };
}

/** The beginning of the ids of calls of a client's tools, and of requests for approval. */
type CallPrefix = "call_" | "mcpr_";

/** Returns the id of a call, or of a request for approval, that waits for its client. */
export function toCallId({ runId, waitId }: CallName, prefix: CallPrefix = "call_"): string {
  return prefix + encode([runId, waitId]);
}

/** Reads such an id. Returns undefined for one that this service has not given. */
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
