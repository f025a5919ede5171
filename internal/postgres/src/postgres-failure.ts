import { TroupeError } from "@troupe/core";
import { findErrorCode, getOwn } from "@troupe/core/kit";

/** Explanations of PostgreSQL's errors, by SQLSTATE, or by its first two characters, which are its class. */
const problems: Readonly<Record<string, string>> = {
  "08": "lost the connection",
  "28": "refused the login. Check the user and the password",
  "3D": "has no such database. Create it, or name another one in the connection string",
  "3F": "has lost the schema: it was dropped while in use",
  "42501":
    "did not allow the statement. Grant the role the use of the schema and the table, or the right to create them",
  "42P01": "has lost the table: it was dropped while in use",
  "25006": "is read-only or a replica. Connect to the primary",
  "53100": "has a full disk. Free some space",
  "53300": "has no connection left. Lower max, or raise max_connections of the server",
  "57014": "stopped the statement after its timeout. Raise statementTimeoutMs to wait longer",
  "57": "is shutting down or starting up",
};

/**
 * Returns true if PostgreSQL rolled the work back because of a concurrent transaction (deadlock or serialization
 * failure), so that it can be repeated.
 */
export function isTransient(error: unknown): boolean {
  const state = sqlStateOf(error);
  return state === "40001" || state === "40P01";
}

/**
 * Converts an error of a PostgreSQL statement to `storage_unavailable`, with an explanation and without secrets.
 * Returns a `TroupeError` unchanged.
 */
export function toPostgresFailure(error: unknown): TroupeError {
  if (TroupeError.is(error)) return error;
  const state = sqlStateOf(error);
  if (state === undefined) {
    return unavailable(
      "PostgreSQL did not answer, or the connection was lost. The operation may have been executed",
      error,
    );
  }
  const problem = getOwn(problems, state) ?? getOwn(problems, state.slice(0, 2)) ?? "could not complete the operation";
  return unavailable(`PostgreSQL ${problem} (${state})`, error);
}

/**
 * Converts an error of connecting to PostgreSQL to `storage_unavailable`, with the server's reason if it refused, else
 * with advice for an unreachable server. Returns a `TroupeError` unchanged.
 */
export function toConnectFailure(error: unknown): TroupeError {
  if (TroupeError.is(error) || sqlStateOf(error) !== undefined) return toPostgresFailure(error);
  return unavailable(`PostgreSQL cannot be reached (${findErrorCode(error) ?? "no connection was made"})`, error);
}

/**
 * Makes the error with only the message and code of its cause. The errors of pg refer to connections and protocol
 * messages, which contain the password and stored values.
 */
function unavailable(sentence: string, thrown: unknown): TroupeError {
  const { message, code } = thrown as { message?: unknown; code?: unknown };
  const cause = Object.assign(new Error(String(message)), code !== undefined && { code });
  return new TroupeError("storage_unavailable", `${sentence}.`, { cause });
}

/** Returns the SQLSTATE of an error that PostgreSQL sent. Undefined for any other error. */
export function sqlStateOf(error: unknown): string | undefined {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "string" && /^[\dA-Z]{5}$/.test(code) && "severity" in (error as Error) ? code : undefined;
}
