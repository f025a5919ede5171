import { readProperty } from "../util/read-property.ts";

/** Codes of all failures of a run, a request or a construction. Transports map each code to a status. */
export const errorCodes = [
  "invalid_request",
  "unauthorized",
  "forbidden",
  "not_found",
  "conflict",
  "payload_too_large",
  "unsupported_media_type",
  "guardrail_blocked",
  "rate_limited",
  "cancelled",
  "internal",
  "model_failed",
  "structured_output_invalid",
  "context_too_long",
  "storage_unavailable",
  "storage_corrupt",
  "unavailable",
  "timeout",
  "limit_exceeded",
  "gone",
  "idempotency_mismatch",
  "interrupted",
  "crashed",
  "invalid_config",
  "invalid_value",
] as const;

/** Code of a `TroupeError`, one of `errorCodes`: the part of an error that programs handle. */
export type ErrorCode = (typeof errorCodes)[number];

/** Facts about an error that clients may see. They never contain a key, a prompt or a vendor's text. */
export type ErrorFields = Readonly<Record<string, string | number | boolean | null>>;

/** Optional parts of a `TroupeError`: its `cause`, for the developer, and its `fields`, which clients may see. */
export interface TroupeErrorOptions {
  cause?: unknown;
  fields?: ErrorFields;
}

// In the global symbol registry, so that each copy of core recognises errors of other copies.
const brand = Symbol.for("troupe.error");

/**
 * The error class of all failures in Troupe: a code to handle, a message and plain fields. The messages of `internal`,
 * `invalid_config` and `invalid_value` are for the program: transports replace them by a general sentence.
 */
export class TroupeError extends Error {
  readonly code: ErrorCode;
  readonly fields: ErrorFields;

  constructor(code: ErrorCode, message: string, options: TroupeErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.fields = options.fields ?? {};
    Object.defineProperty(this, brand, { value: true });
  }

  /** The error as JSON: without its cause, and without the output of a run. */
  toJSON(): object {
    const { name, code, message, fields } = this;
    return { name, code, message, fields };
  }

  /** Returns true if a value is a `TroupeError`, including errors of another copy of core. */
  static is(value: unknown): value is TroupeError {
    return typeof value === "object" && readProperty(value, brand) === true;
  }
}

// The name of an error class is on its prototype, because serializers print own properties.
Object.defineProperty(TroupeError.prototype, "name", { value: "TroupeError", configurable: true, writable: true });
