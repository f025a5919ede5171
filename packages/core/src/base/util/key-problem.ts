import { describeSafely } from "./describe-safely.ts";

/** Largest size of a storage key in bytes of UTF-8. Indexes of databases stop at 1,024 (older MongoDB) or more. */
export const maxKeyBytes = 1024;

/**
 * Returns the reason why a storage key cannot be stored in every database, as the end of an error's sentence, or
 * `undefined` for a good key. PostgreSQL refuses NUL, and unpaired surrogates become U+FFFD, so that two keys would be
 * the same.
 */
export function keyProblem(key: unknown): string | undefined {
  if (typeof key !== "string") return `must be a string, got ${describeSafely(key)}`;
  const bytes = Buffer.byteLength(key);
  if (bytes > maxKeyBytes) return `must have at most ${maxKeyBytes} bytes in UTF-8, got ${bytes}`;
  if (!key.isWellFormed()) return "must be a well-formed string, but holds an unpaired surrogate";
  return key.includes("\0") ? "must not hold a NUL character" : undefined;
}
