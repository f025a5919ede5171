import { TroupeError } from "@troupe/core";
import type { Logger } from "@troupe/core";

/**
 * Milliseconds during which the same failure is logged only once, because BullMQ reports each failed attempt to
 * reconnect.
 */
const quietMs = 10_000;

/** SQLSTATE classes and error codes of connection failures that may pass quickly. */
const passing = /^(08|57P|53300|ECONN|EPIPE|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH)/;

/**
 * Turns an error of a database driver into `storage_unavailable`; returns a `TroupeError` unchanged. Its cause has the
 * message and the code, but not the command.
 */
export function toEngineFailure(thrown: unknown): TroupeError {
  if (TroupeError.is(thrown)) return thrown;
  const { message, code } = factsOf(thrown);
  return new TroupeError(
    "storage_unavailable",
    `The queue of the engine cannot be used: ${message}. Check that its PostgreSQL or Redis is running and may be used.`,
    { cause: Object.assign(new Error(message), code !== undefined && { code }) },
  );
}

/** Returns true for a connection failure that may not happen again on the next attempt. */
export function isPassing(thrown: unknown): boolean {
  const { message, code = "" } = factsOf(thrown);
  return passing.test(code) || /terminated|timeout|not queryable/i.test(message);
}

/** The log of an engine. It logs a repeated warning only once in a while. */
export class FailureLog {
  readonly #logger: Logger | undefined;
  readonly #loggedAt = new Map<string, number>();

  constructor(logger: Logger | undefined) {
    this.#logger = logger;
  }

  /** Logs a warning, unless the same warning was logged a moment ago. */
  warn(what: string, thrown: unknown): void {
    const { message, code } = factsOf(thrown);
    const now = performance.now();
    const key = `${what} ${message.replaceAll(/\S*\d\S*/g, "")}`;
    if (now - (this.#loggedAt.get(key) ?? -Infinity) < quietMs) return;
    if (this.#loggedAt.size >= 100) this.#loggedAt.clear();
    this.#loggedAt.set(key, now);
    this.#logger?.warn(what, { reason: message, ...(code !== undefined && { code }) });
  }

  error(what: string): void {
    this.#logger?.error(what);
  }

  info(what: string): void {
    this.#logger?.info(what);
  }
}

/**
 * Returns the message and code of a driver's failure. Errors of ioredis also hold the command, which may contain the
 * password.
 */
function factsOf(thrown: unknown): { message: string; code?: string } {
  // A host with several addresses fails with one error for each address.
  const error: unknown = thrown instanceof AggregateError && thrown.message === "" ? thrown.errors[0] : thrown;
  const { message, code } = (typeof error === "object" && error !== null ? error : {}) as Record<string, unknown>;
  return {
    message: typeof message === "string" && message !== "" ? message : String(code ?? error),
    ...(typeof code === "string" && { code }),
  };
}
