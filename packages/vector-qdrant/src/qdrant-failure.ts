import { TroupeError } from "@troupe/core";
import { createRedactor, findErrorCode } from "@troupe/core/kit";
import type { Redactor } from "@troupe/core/kit";

const problems: ReadonlyMap<unknown, string> = new Map<unknown, string>([
  [401, "refused the API key. Check apiKey"],
  [403, "refused the API key, or does not let it do this. The key needs to read and write the collections"],
  [404, "does not know the address. Check the path in url, and that the server is Qdrant"],
  [413, "refused a request as too large. Raise service.max_request_size_mb in its configuration to 32 or more"],
  [429, "has too many requests. Try again later, or with fewer calls at once"],
  ["ENOTFOUND", "cannot be found. Check the name of the host in url"],
  ["EAI_AGAIN", "cannot be found, because the name server did not answer. Check the network"],
  ["ECONNRESET", "lost the connection before it answered. A change may have been made: it is safe to repeat it"],
]);

const longestText = 200;
const deepestCause = 4;

type Thrown = { name?: unknown; message?: unknown; code?: unknown; status?: unknown; data?: unknown; cause?: unknown };

/** Returns the HTTP status of an error of Qdrant's library, or `undefined` if the server did not answer. */
export function statusOf(error: unknown): number | undefined {
  const { name, status } = error as Thrown;
  // Qdrant's library throws this error for a 429, without its status.
  if (name === "QdrantClientResourceExhaustedError") return 429;
  return typeof status === "number" ? status : undefined;
}

/**
 * Returns true if an error is Qdrant's answer that a collection does not exist. A 404 of another server has another
 * body.
 */
export function isMissing(error: unknown): boolean {
  return statusOf(error) === 404 && typeof saidBy(error) === "string";
}

function saidBy(error: unknown): unknown {
  return ((error as Thrown).data as { status?: { error?: unknown } } | undefined)?.status?.error;
}

/**
 * Converts the errors of Qdrant's library, which quote replies of the server, to `TroupeError`s without the API key.
 */
export class QdrantFailures {
  readonly #redact: Redactor;

  constructor(apiKey: string | undefined) {
    this.#redact = createRedactor(apiKey === undefined ? [] : [apiKey]);
  }

  /** Converts an error of Qdrant's library to `storage_unavailable`. Returns a `TroupeError` unchanged. */
  from(error: unknown): TroupeError {
    if (TroupeError.is(error)) return error;
    const cause = this.#copy(error);
    return new TroupeError("storage_unavailable", `The Qdrant server ${problemOf(error, cause)}.`, { cause });
  }

  /**
   * Copies an error and its causes, at most four levels: only name, code, status, and the beginning of the message
   * without the API key.
   */
  #copy(error: unknown, depth = 1): Error {
    const { name, message, code, cause } = error as Thrown;
    const deeper = cause !== undefined && depth < deepestCause && { cause: this.#copy(cause, depth + 1) };
    const copy = new Error(this.#redact(String(saidBy(error) ?? message), longestText), deeper || {});
    Object.defineProperty(copy, "name", { value: String(name), enumerable: false });
    // The stack of the copied error begins with the name and the message, so it is replaced.
    Object.defineProperty(copy, "stack", { value: `${copy.name}: ${copy.message}`, enumerable: false });
    const status = statusOf(error);
    return Object.assign(copy, typeof code === "string" && { code }, status !== undefined && { status });
  }
}

function problemOf(error: unknown, { message }: Error): string {
  const { name } = error as Thrown;
  if (name === "QdrantClientTimeoutError") {
    return "did not answer in time. A change may have been made: it is safe to repeat it. Raise timeoutMs to wait longer";
  }
  const status = statusOf(error);
  if (status !== undefined) return problems.get(status) ?? problemOfStatus(status, message);
  const code = findErrorCode(error);
  if (code !== undefined) return problems.get(code) ?? "cannot be reached. Check url, and that the server is running";
  if (isTlsFailure(error)) {
    return "cannot be reached over TLS. Check that url begins with https:// only if the server has a certificate, and that Node trusts it";
  }
  return "gave an answer that is none of Qdrant's. Check url, and what is between this process and the server";
}

function problemOfStatus(status: number, message: string): string {
  if (/no space|disk (?:is )?full|not enough (?:disk )?space/i.test(message)) return "has a full disk. Free some space";
  if (status >= 500) return "failed. See its log, and try again";
  return "refused a request. Version 1.16 or later is needed, and limits of its strict mode may have to be raised";
}

function isTlsFailure(error: unknown): boolean {
  const { code } = ((error as Thrown).cause ?? {}) as Thrown;
  return typeof code === "string" && /CERT|SSL|TLS|SIGNATURE/.test(code);
}
