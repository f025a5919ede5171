import { TroupeError } from "../../base/errors/troupe-error.ts";

/** Tells if an error is of a storage that cannot be reached, and may be back soon. */
export function isUnavailable(error: unknown): boolean {
  return TroupeError.is(error) && error.code === "storage_unavailable";
}

/** Tells if an error is of a value that the storage does not take: it would be refused again. */
export function isInvalid(error: unknown): boolean {
  return TroupeError.is(error) && error.code === "invalid_value";
}
