import { TroupeError } from "@troupe/core";
import type { Masker } from "@troupe/core/transport";
import { BadAnswer } from "./ask-server.ts";
import { readStatus } from "./library.ts";
import { tooLargeMark } from "./slim-message.ts";

/** Longest text of an MCP server in an error that is passed on to a model, in characters. */
const longestText = 1000;

/** The name of the MCP server and of the failed exchange, for the error message, and the mask for secrets. */
export type McpWork = {
  readonly server: string;
  readonly what: string;
  readonly mask: Masker;
  /** The known reason why the connection ended: see `ServerProblem`. */
  readonly problem?: string | undefined;
};

/**
 * Makes the error of a failed exchange with an MCP server. Returns a `TroupeError` unchanged, unless `problem` explains
 * it better. The error quotes the server only if the server refused a call: for the model that made the call, with
 * secrets masked.
 */
export function toMcpError(error: unknown, { server, what, mask, problem }: McpWork): TroupeError {
  const name = `The MCP server ${JSON.stringify(server)}`;
  if (problem !== undefined && isOfLostConnection(error)) {
    return new TroupeError("unavailable", `${name} ${problem}`, { fields: { server } });
  }
  if (TroupeError.is(error)) return error;
  const status = statusOf(error);
  const fields = { server, ...(status !== undefined && { status }) };
  if (status === 401 || status === 403 || isUnauthorized(error)) {
    const message = `${name} refused the credentials for ${what}. Check headers or authProvider.`;
    return new TroupeError("unauthorized", message, { fields });
  }
  if (status !== undefined) return ofStatus(status, { name, what, fields });
  return ofAnswer(error, { name, what, mask, fields }) ?? brokenOff(error, { name, what, fields });
}

function statusOf(error: unknown): number | undefined {
  // The status of an authorization server is not a status of the MCP server.
  return isOfOAuth(error) ? undefined : readStatus(error);
}

type Facts = { readonly name: string; readonly what: string; readonly fields: { server: string } };

function ofStatus(status: number, { name, what, fields }: Facts): TroupeError {
  if (status === 429) {
    return new TroupeError("rate_limited", `${name} gets too many requests. Wait before the next call.`, { fields });
  }
  const message = `${name} answered ${what} with the HTTP status ${status}. Check its URL, and that it runs.`;
  return new TroupeError("unavailable", message, { fields });
}

/**
 * Makes the error for an answer of the MCP server, or of its authorization server, that is an error or malformed.
 * Returns undefined for other failures.
 */
function ofAnswer(error: unknown, { name, what, mask, fields }: Facts & { mask: Masker }): TroupeError | undefined {
  if (isOfOAuth(error)) {
    const message = `${name} could not be authorized for ${what}. Check authProvider and the authorization server.`;
    return new TroupeError("unauthorized", message, { fields });
  }
  if (isTooLarge(error)) {
    const message = `${name} answered ${what} with more than such an answer may hold.`;
    return new TroupeError("unavailable", message, { fields });
  }
  if (error instanceof BadAnswer) {
    const why = mask(error.message, longestText);
    const message = `${name} answered ${what} in a form that the protocol does not allow: ${why}.`;
    return new TroupeError("unavailable", message, { fields });
  }
  const refusal = refusalOf(error);
  if (refusal === undefined) return undefined;
  const message = `${name} refused ${what}: ${mask(refusal.message, longestText)}`;
  return new TroupeError("invalid_request", message, { fields: { ...fields, rpcCode: refusal.code } });
}

function brokenOff(error: unknown, { name, what, fields }: Facts): TroupeError {
  const code = readCode(error);
  if (code === "REQUEST_TIMEOUT")
    return new TroupeError("timeout", `${name} did not answer ${what} in time.`, { fields });
  if (code === "ENOENT" || code === "EACCES") {
    const message = `${name} could not be started: its command was not found or may not be run. Check command, PATH and cwd.`;
    return new TroupeError("unavailable", message, { fields });
  }
  if (code === "INVALID_RESULT" || code === "UNSUPPORTED_RESULT_TYPE") {
    return new TroupeError("unavailable", `${name} answered ${what} in a form that the protocol does not allow.`, {
      fields,
    });
  }
  const message = `${name} cannot be reached, or the connection broke off during ${what}. The next call connects again.`;
  return new TroupeError("unavailable", message, { fields });
}

/** Marks the error that stands for the answer to a request whose connection broke off. */
export const brokenOffMark = "troupe.connection-broke-off";

/** Returns the error that an MCP server sent instead of a result, or undefined for another failure. */
function refusalOf(error: unknown): { code: number; message: string } | undefined {
  if (!(error instanceof Error) || isBrokenOff(error)) return undefined;
  const { code, message } = error as Error & { code?: unknown };
  return typeof code === "number" ? { code, message } : undefined;
}

/** Returns true if an error may be the consequence of a lost connection: it broke off or timed out. */
function isOfLostConnection(error: unknown): boolean {
  return diagnose(error) === "lost" || (TroupeError.is(error) && error.code === "timeout");
}

/**
 * The state of the connection after a failed exchange. `answered`: the server replied. `silent`: there was no reply or
 * it broke off, so the next use must check the connection. `no-session`: the server may have forgotten the session.
 * `lost`: the connection is gone.
 */
export type Diagnosis = "answered" | "silent" | "no-session" | "lost";

/** Returns the state of the connection after a failed exchange. */
export function diagnose(error: unknown): Diagnosis {
  if (isRefusal(error) || isUnauthorized(error) || isOfOAuth(error)) return "answered";
  if (TroupeError.is(error)) return error.code === "timeout" ? "silent" : "answered";
  if (error instanceof BadAnswer) return "answered";
  const status = readStatus(error);
  if (status !== undefined) return diagnoseStatus(status);
  return readCode(error) === "INVALID_RESULT" ? "answered" : "lost";
}

function diagnoseStatus(status: number): Diagnosis {
  // A restarted server answers a request of an earlier session with one of these statuses.
  if (status === 400 || status === 404) return "no-session";
  return status >= 500 ? "silent" : "answered";
}

/** Returns true if an MCP server answered a request with an error, which shows that the connection works. */
export function isRefusal(error: unknown): boolean {
  return refusalOf(error) !== undefined;
}

/** Returns true if an error stands for an MCP server's answer that is too large. */
export function isTooLarge(error: unknown): boolean {
  return dataOf(error) === tooLargeMark;
}

function isBrokenOff(error: Error): boolean {
  return dataOf(error) === brokenOffMark;
}

function dataOf(error: unknown): unknown {
  return error instanceof Error ? (error as { data?: unknown }).data : undefined;
}

/** Returns the code of an error of the library or the system, which may be in the error's cause. */
function readCode(error: unknown): unknown {
  if (!(error instanceof Error)) return undefined;
  const { code, cause } = error as { code?: unknown; cause?: unknown };
  return code ?? readCode(cause);
}

/**
 * Returns true if an MCP server requires an authorization that is missing, or for which a user was sent to the
 * authorization server.
 */
export function isUnauthorized(error: unknown): boolean {
  return error instanceof Error && error.constructor.name === "UnauthorizedError";
}

/**
 * Returns true for library errors about an authorization server, such as an error that it returned, or an unexpected
 * issuer.
 */
function isOfOAuth(error: unknown): boolean {
  return (
    error instanceof Error &&
    /OAuth|Issuer|AuthorizationServer|Registration|TokenEndpoint|Scope/.test(error.constructor.name)
  );
}

/** Makes the error for using an `McpToolServer` that was closed. */
export function serverClosed({ name }: { readonly name: string }): TroupeError {
  const message = `The MCP server ${JSON.stringify(name)} is closed. Call connect() to open it again.`;
  return new TroupeError("unavailable", message, { fields: { server: name } });
}
