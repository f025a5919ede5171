import { TroupeError } from "@troupe/core";
import { findErrorCode, getOwn } from "@troupe/core/adapter";

/** What PostgreSQL's codes tell to mend: a code, or the first two characters of a class of them. */
const problems: Readonly<Record<string, string>> = {
  "08": "lost the connection",
  "28": "refused the login: check the user and the password",
  "3D": "has no such database: create it, or name another in the connection string",
  "3F": "has no such schema any more: it was dropped while in use",
  "42501": "did not allow it: give the role the right to use the schema and the table, or to create what is missing",
  "42P01": "has no such table any more: it was dropped while in use",
  "25006": "takes no writes: it is a replica, or set to read only",
  "53100": "has no room left: its disk is full",
  "53300": "has no connection left: lower max, or raise max_connections of the server",
  "57014": "stopped the statement: it took longer than allowed. A larger statementTimeoutMs waits longer",
  "57": "is shutting down or starting up",
};

/** Whether the database itself undid the work because of somebody else's, so that it can simply be done again. */
export function isPassing(error: unknown): boolean {
  const state = sqlState(error);
  return state === "40001" || state === "40P01";
}

/** Makes a `TroupeError` of what a statement threw; what is one already stays as it is. */
export function toPostgresFailure(error: unknown): TroupeError {
  if (TroupeError.is(error)) return error;
  const state = sqlState(error);
  if (state === undefined) {
    return unavailable(
      "PostgreSQL did not answer, or the connection was lost: what was asked may have been done",
      error,
    );
  }
  const problem = getOwn(problems, state) ?? getOwn(problems, state.slice(0, 2)) ?? "could not do what was asked of it";
  return unavailable(`PostgreSQL ${problem} (${state})`, error);
}

/** Makes a `TroupeError` of what kept us from getting a connection. */
export function toConnectFailure(error: unknown): TroupeError {
  if (TroupeError.is(error) || sqlState(error) !== undefined) return toPostgresFailure(error);
  return unavailable(`PostgreSQL cannot be reached (${findErrorCode(error) ?? "no connection was made"})`, error);
}

/**
 * Tells what happened and keeps of the cause its message and code. The library hangs connections and whole messages of
 * the protocol on its errors, which in the end hold a password or what was stored.
 */
function unavailable(sentence: string, thrown: unknown): TroupeError {
  const { message, code } = thrown as { message?: unknown; code?: unknown };
  const cause = Object.assign(new Error(String(message)), code !== undefined && { code });
  return new TroupeError("storage_unavailable", `${sentence}.`, { cause });
}

function sqlState(error: unknown): string | undefined {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "string" && /^[\dA-Z]{5}$/.test(code) && "severity" in (error as Error) ? code : undefined;
}
