/** An error that the server sent in place of an answer, or within a stream. Internal: `toModelError` converts it. */
export class VendorError extends Error {
  readonly status: number;
  readonly retryAfterMs: number | undefined;
  /** True when Ollama itself answered, and not a proxy or another server. */
  readonly isFromOllama: boolean;

  constructor(status: number, error: unknown, retryAfterMs?: number) {
    super(typeof error === "string" ? error : "The server sent an error without a message.");
    this.status = status;
    this.isFromOllama = typeof error === "string";
    this.retryAfterMs = retryAfterMs;
  }

  /** Tells if the server reports that the model lacks this ability. */
  lacks(ability: "thinking" | "tools"): boolean {
    return this.status === 400 && this.message.includes(`does not support ${ability}`);
  }
}

/**
 * An error for an answer that ended before it was complete. Its code is that of a lost connection, and it is treated as
 * one.
 */
export class TruncatedResponseError extends Error {
  // The code of a connection that was lost.
  readonly code = "ECONNRESET";

  constructor() {
    super("The answer ended before it was complete.");
  }
}
