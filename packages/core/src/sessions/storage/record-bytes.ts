/** Bytes that a record in memory takes beside the characters of its key and value. */
const ownBytes = 200;

/**
 * The bytes that V8 uses for each character of a string: two if the string contains a wide character, otherwise one.
 */
const [narrowBytes, wideBytes] = [1, 2];
const wideCharacter = /[\u0100-\uFFFF]/;

/** Estimates the bytes of memory that a record of an `InMemoryStorage` takes: 0 if it is missing. */
export function recordBytes(key: string, text: string | undefined): number {
  if (text === undefined) return 0;
  return ownBytes + key.length * narrowBytes + text.length * (wideCharacter.test(text) ? wideBytes : narrowBytes);
}
