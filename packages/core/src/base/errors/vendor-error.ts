/** The facts of an error that a vendor sent, for `VendorError`. */
export type VendorErrorFacts = {
  /** Text of the vendor, which never reaches a client. */
  message?: string | undefined;
  /** HTTP status, or the one that stands for the vendor's word. @default 500 */
  status?: number | undefined;
  /** Word or code of the vendor, like `insufficient_quota`. */
  vendorCode?: string | undefined;
  /** Milliseconds that the vendor asks to wait. */
  retryAfterMs?: number | undefined;
  /** Tokens of the model's context, where a field of an error about its length has them. */
  contextLimit?: number | undefined;
};

/**
 * Error that a vendor sent: with an error status, in place of an answer, or within a stream. For model providers, which
 * throw it inside of a model call; `toModelError` makes a `ModelError` of it.
 */
export class VendorError extends Error {
  readonly status: number;
  /** False if no status came with the error: `status` then tells that the call may be tried again. */
  readonly hasStatus: boolean;
  readonly vendorCode: string | undefined;
  readonly retryAfterMs: number | undefined;
  readonly contextLimit: number | undefined;

  constructor({ message, status, vendorCode, retryAfterMs, contextLimit }: VendorErrorFacts) {
    super(message ?? "The vendor sent an error without a message.");
    this.status = status ?? 500;
    this.hasStatus = status !== undefined;
    this.vendorCode = vendorCode;
    this.retryAfterMs = retryAfterMs;
    this.contextLimit = contextLimit;
  }
}

/**
 * Error of an answer that a model provider cannot read, and that another try would not mend. `happened` follows the name of the vendor in the
 * message of the `ModelError`: "sent an event of more than 16 MB". It must quote nothing that the vendor said.
 */
export class ResponseError extends Error {
  readonly happened: string;

  constructor(happened: string) {
    super(`The vendor ${happened}.`);
    this.happened = happened;
  }
}

/**
 * Error of an answer that ended before it was complete, or was damaged on its way. It is treated as a lost connection:
 * the model call is tried again.
 */
export class TruncatedResponseError extends ResponseError {
  // The code of a connection that was lost.
  readonly code = "ECONNRESET";

  constructor(happened = "ended the stream before its last event") {
    super(happened);
  }
}
