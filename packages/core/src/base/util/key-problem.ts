import { describeSafely } from "./describe-safely.ts";

/** Maximum size of a storage key in bytes of UTF-8. Database indexes allow 1,024 bytes (older MongoDB) or more. */
export const maxKeyBytes = 1024;

/**
 * Returns the reason why a storage key cannot be stored in every database, as words that follow the key in an error
 * message; `undefined` for a valid key. PostgreSQL rejects NUL. Unpaired surrogates become U+FFFD, so that two keys
 * would become equal.
 */
export function keyProblem(key: unknown): string | undefined {
  if (typeof key !== "string") return `must be a string, got ${describeSafely(key)}`;
  const bytes = Buffer.byteLength(key);
  if (bytes > maxKeyBytes) return `must have at most ${maxKeyBytes} bytes in UTF-8, got ${bytes}`;
  if (!key.isWellFormed()) return "must be a well-formed string, but holds an unpaired surrogate";
  return key.includes("\0") ? "must not hold a NUL character" : undefined;
}
