/**
 * The longest key, in bytes of UTF-8. Databases that index keys stop at 1,024 (older MongoDB) or 2,704 bytes (PostgreSQL),
 * and a long key is nearly always a value in the wrong place.
 */
export const maxKeyBytes = 1024;

/**
 * Says what is wrong with a text as a key, if anything: something that one database would refuse, cut or change. NUL is
 * refused by PostgreSQL, and an unpaired surrogate becomes U+FFFD in UTF-8, so two different keys would be the same.
 */
export function keyProblem(key: unknown): string | undefined {
  if (typeof key !== "string") return `must be text, but is ${key === null ? "null" : `of type ${typeof key}`}`;
  if (key.length > maxKeyBytes || Buffer.byteLength(key) > maxKeyBytes) {
    return `must have at most ${maxKeyBytes} bytes in UTF-8, but has ${Buffer.byteLength(key)}`;
  }
  if (!key.isWellFormed()) return "must be well-formed text, but holds an unpaired surrogate";
  return key.includes("\0") ? "must not hold a NUL character" : undefined;
}
