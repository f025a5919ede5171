import { checkKey, decodeSequence, encodeSequence } from "@troupe/core/storage";
import type { AppendedKey, AppendRequest } from "@troupe/core/storage";

/**
 * Describes all keys that are the prefix and a sequence number, for a query: from `from` up to and without `to`,
 * `length` characters long, with the digits from position `digitsAt` (1 is the first).
 */
export function numberedKeyRange(keyPrefix: string) {
  const prefixLength = Array.from(keyPrefix).length;
  return {
    from: `${keyPrefix}0`,
    // A colon is the next character after the digits.
    to: `${keyPrefix}:`,
    length: prefixLength + encodeSequence(0).length,
    digitsAt: prefixLength + 1,
  };
}

/**
 * Returns number and key for the next append under a prefix: those after `lastKey`, the highest numbered key stored, or
 * the first ones without it. Throws when the key would not be valid.
 */
export function nextAppendedKey({ namespace, keyPrefix }: AppendRequest, lastKey = ""): AppendedKey {
  const last = decodeSequence(lastKey.slice(keyPrefix.length)) ?? 0;
  const key = keyPrefix + encodeSequence(last + 1);
  checkKey(namespace, key);
  return { key, seq: last + 1 };
}
