import { internalMessage, toTroupeError } from "./to-troupe-error.ts";
import { errorCodes } from "./troupe-error.ts";
import type { ErrorCode, ErrorFields } from "./troupe-error.ts";

/** What a client may know of an error. */
export type PublicError = { code: ErrorCode; message: string } & ErrorFields;

/** Failures of the service itself. Their messages speak to whoever runs it. */
const ownFailures: ReadonlySet<ErrorCode> = new Set(["internal", "invalid_config", "invalid_value"]);

/** A driver tells the operator which file, host or record it is about. */
const ofStorage: Readonly<Partial<Record<ErrorCode, string>>> = {
  storage_unavailable: "The storage cannot be used at the moment.",
  storage_corrupt: "What is stored cannot be read.",
};

/**
 * The code, the message and the fields of anything thrown, fit for a client: a failure of our own or of the storage says no
 * more than its code does.
 */
export function toPublicError(thrown: unknown): PublicError {
  const { code, message, fields } = toTroupeError(thrown);
  // Another version of core may know other codes.
  if (!errorCodes.includes(code)) return { code: "internal", message: internalMessage };
  if (ownFailures.has(code)) return { code, message: internalMessage };
  const general = ofStorage[code];
  return general === undefined ? { ...fields, code, message } : { code, message: general };
}
