/** Bytes that a record in memory takes beside the characters of its key and its value. */
const ownBytes = 200;

/** A string with such a character has two bytes for each; V8 keeps all others with one. */
const wideCharacter = /[\u0100-\uFFFF]/;

/** Estimates the bytes of memory that a record of an `InMemoryStorage` takes: none for one that is not there. */
export function recordBytes(key: string, text: string | undefined): number {
  if (text === undefined) return 0;
  return ownBytes + key.length + text.length * (wideCharacter.test(text) ? 2 : 1);
}
