import { internalMessage, toTroupeError } from "./to-troupe-error.ts";
import { errorCodes } from "./troupe-error.ts";
import type { ErrorCode, ErrorFields } from "./troupe-error.ts";

/** An error in the form that clients and models may see: its code, a safe message, and plain fields. */
export type PublicError = { code: ErrorCode; message: string } & ErrorFields;

/** Codes of failures of the service itself, whose messages are for the operator. */
const ownFailures: ReadonlySet<ErrorCode> = new Set(["internal", "invalid_config", "invalid_value"]);

/**
 * Messages for clients that replace the messages of storage drivers, because storage drivers name files, hosts and
 * records.
 */
const ofStorage: Readonly<Partial<Record<ErrorCode, string>>> = {
  storage_unavailable: "The storage cannot be used at the moment.",
  storage_corrupt: "What is stored cannot be read.",
};

/**
 * Returns the code, message and fields of any thrown value, in the form that clients and models may see. A failure of
 * the service itself or its storage gets a general message and no fields.
 */
export function toPublicError(thrown: unknown): PublicError {
  const { code, message, fields } = toTroupeError(thrown);
  // An error of another version of core may have an unknown code.
  if (!errorCodes.includes(code)) return { code: "internal", message: internalMessage };
  if (ownFailures.has(code)) return { code, message: internalMessage };
  const general = ofStorage[code];
  return general === undefined ? { ...fields, code, message } : { code, message: general };
}
