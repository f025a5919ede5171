import { TroupeError } from "@troupe/core";

const firstMs = 500;
const longestMs = 30_000;
/** Factor between the duration of a slow attempt and the pause after it, which is at most one minute. */
const perAttempt = 4;
const longestSlowMs = 60_000;

/**
 * The growing pause after failed attempts to connect to an MCP server. During a pause, further attempts fail at once.
 */
export class ConnectPause {
  readonly #server: string;
  #failures = 0;
  #failure: TroupeError | undefined;
  #retryAt = 0;

  constructor(server: string) {
    this.#server = server;
  }

  /** Begins a pause after an attempt that took `tookMs` milliseconds and failed. */
  begin(failure: TroupeError, tookMs: number): void {
    this.#failure = failure;
    this.#failures++;
    const waitMs = Math.min(firstMs * 2 ** (this.#failures - 1), longestMs);
    // The pause grows with the duration of the failed attempt, so that a server that fails slowly rarely delays runs.
    this.#retryAt = performance.now() + Math.max(waitMs, Math.min(tookMs * perAttempt, longestSlowMs));
  }

  /** Ends the pause, and forgets the failures. */
  end(): void {
    this.#failures = 0;
    this.#retryAt = 0;
  }

  /** Throws `unavailable` during a pause. */
  check(): void {
    const waitMs = this.#retryAt - performance.now();
    if (waitMs <= 0) return;
    const message = `The MCP server ${JSON.stringify(this.#server)} is down. It is tried again in ${Math.ceil(waitMs / 1000)} s.`;
    const fields = { server: this.#server, retryAfterMs: Math.ceil(waitMs) };
    throw new TroupeError("unavailable", message, { fields, cause: this.#failure });
  }
}
