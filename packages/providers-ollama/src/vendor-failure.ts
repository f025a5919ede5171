/** A failure that the server told of in place of an answer, or within one. */
export class VendorFailure extends Error {
  readonly status: number;
  readonly retryAfterMs: number | undefined;
  /** Whether Ollama itself spoke, and not something that stands before it or where it should be. */
  readonly isOwnWord: boolean;

  constructor(status: number, error: unknown, retryAfterMs?: number) {
    super(typeof error === "string" ? error : "The server failed without a word.");
    this.status = status;
    this.isOwnWord = typeof error === "string";
    this.retryAfterMs = retryAfterMs;
  }

  /** Whether the server says that this is what the model cannot do. */
  tellsOfNo(ability: "thinking" | "tools"): boolean {
    return this.status === 400 && this.message.includes(`does not support ${ability}`);
  }
}

/** An answer that ended before it was complete. */
export class CutAnswer extends Error {
  // As a network calls it: the rest was lost on the way.
  readonly code = "ECONNRESET";

  constructor() {
    super("The answer ended before it was complete.");
  }
}
