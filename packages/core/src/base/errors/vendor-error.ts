/** The facts of an error that a vendor sent, for `VendorError`. */
export type VendorErrorFacts = {
  /** Error text of the vendor, which never reaches a client. */
  message?: string | undefined;
  /** HTTP status, or the status that corresponds to the vendor's error type. @default 500 */
  status?: number | undefined;
  /** Error type or code of the vendor, such as `insufficient_quota`. */
  vendorCode?: string | undefined;
  /** Milliseconds that the vendor asks to wait before a retry. */
  retryAfterMs?: number | undefined;
  /** The size of the model's context in tokens, if an error about a request's length has a field for it. */
  contextLimit?: number | undefined;
};

/**
 * Error that a vendor sent: with an error status, instead of an answer, or within a stream. For model providers, which
 * throw it inside a model call; `toModelError` converts it to a `ModelError`.
 */
export class VendorError extends Error {
  readonly status: number;
  /** False if the error came without a status. `status` is then 500, which allows a retry. */
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
 * Error of an answer that a model provider cannot read, and that a retry would not correct. In the message of the
 * `ModelError`, `happened` follows the vendor's name: "sent an event of more than 16 MB". It must not quote the vendor.
 */
export class ResponseError extends Error {
  readonly happened: string;

  constructor(happened: string) {
    super(`The vendor ${happened}.`);
    this.happened = happened;
  }
}

/**
 * Error of an answer that ended before it was complete, or was damaged in transit. It is treated as a lost connection,
 * after which the model call may be retried.
 */
export class TruncatedResponseError extends ResponseError {
  // The system code of a lost connection, which `isRetryable` recognises.
  readonly code = "ECONNRESET";

  constructor(happened = "ended the stream before its last event") {
    super(happened);
  }
}
