import { readProperty } from "../util/read-property.ts";

/** Every way a run, a request or a construction can fail. Transports map each code to their own status. */
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
  "storage_unavailable",
  "storage_corrupt",
  "unavailable",
  "timeout",
  "limit_exceeded",
  "invalid_config",
  "invalid_value",
] as const;

/** One of `errorCodes`. */
export type ErrorCode = (typeof errorCodes)[number];

/** Plain facts about an error that a client may see: never a key, a prompt or a vendor's text. */
export type ErrorFields = Readonly<Record<string, string | number | boolean | null>>;

/** What an error may carry beside its code and message. */
export interface TroupeErrorOptions {
  cause?: unknown;
  fields?: ErrorFields;
}

// In the global registry, so that an error made by one copy of core is known to another.
const brand = Symbol.for("troupe.error");

/** The one error that leaves Troupe: a code to act on, a message safe to show, and plain fields. */
export class TroupeError extends Error {
  readonly code: ErrorCode;
  readonly fields: ErrorFields;

  constructor(code: ErrorCode, message: string, options: TroupeErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.fields = options.fields ?? {};
    Object.defineProperty(this, brand, { value: true });
  }

  /** Tells a `TroupeError` from any other value, also when it comes from another copy of core. */
  static is(value: unknown): value is TroupeError {
    return typeof value === "object" && readProperty(value, brand) === true;
  }
}

// On the prototype: one name for all instances, and no own property that a serializer would print.
Object.defineProperty(TroupeError.prototype, "name", { value: "TroupeError", configurable: true, writable: true });
