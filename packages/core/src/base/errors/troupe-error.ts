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

/** Code of a `TroupeError`, one of `errorCodes`: the part of an error that programs act on. */
export type ErrorCode = (typeof errorCodes)[number];

/** Facts about an error that clients may see: never a key, a prompt or a vendor's text. */
export type ErrorFields = Readonly<Record<string, string | number | boolean | null>>;

/** Optional parts of a `TroupeError`: its `cause`, for the developer, and its `fields`, which clients may see. */
export interface TroupeErrorOptions {
  cause?: unknown;
  fields?: ErrorFields;
}

// In the global registry, so that errors of one copy of core are recognized by another.
const brand = Symbol.for("troupe.error");

/**
 * Error of every failure in Troupe: a code to act on, a message and plain fields. The messages of `internal`,
 * `invalid_config` and `invalid_value` are for the program: transports show a general sentence in their place.
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

  /** Tells if a value is a `TroupeError`, also one of another copy of core. */
  static is(value: unknown): value is TroupeError {
    return typeof value === "object" && readProperty(value, brand) === true;
  }
}

// On the prototype, because serializers print own properties.
Object.defineProperty(TroupeError.prototype, "name", { value: "TroupeError", configurable: true, writable: true });
