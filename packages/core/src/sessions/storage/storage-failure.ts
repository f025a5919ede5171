import { TroupeError } from "../../base/errors/troupe-error.ts";

/** Returns true if an error means that the storage cannot be reached, and may soon be available again. */
export function isUnavailable(error: unknown): boolean {
  return TroupeError.is(error) && error.code === "storage_unavailable";
}

/** Returns true if an error means that the storage does not accept the value: a retry would be rejected too. */
export function isInvalid(error: unknown): boolean {
  return TroupeError.is(error) && error.code === "invalid_value";
}
