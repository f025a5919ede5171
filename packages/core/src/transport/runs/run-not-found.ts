import { TroupeError } from "../../base/errors/troupe-error.ts";

/**
 * Makes the error for a run that does not exist or is not accessible to the caller. It is the same for both, so that it
 * reveals nothing.
 */
export function runNotFound(): TroupeError {
  return new TroupeError("not_found", "Run not found. It may be over, or belong to another user.");
}

/** Resolves to undefined if a run is not found. */
export async function unlessNotFound<Found>(found: Promise<Found>): Promise<Found | undefined> {
  try {
    return await found;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** Returns true if an error means that a run is not found. */
export function isNotFound(error: unknown): boolean {
  return TroupeError.is(error) && error.code === "not_found";
}
