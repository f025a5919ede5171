import { checkRecordKey, decodeSequence, encodeSequence } from "@troupe/core/storage";
import type { AppendedKey, AppendRequest } from "@troupe/core/storage";

/**
 * Returns the range of all keys that consist of the prefix and a sequence number, for a query. They go from `from` up
 * to but excluding `to`, and are `length` characters long. The digits begin at position `digitsAt` (1 is the first
 * position).
 */
export function numberedKeyRange(keyPrefix: string) {
  const prefixLength = Array.from(keyPrefix).length;
  return {
    from: `${keyPrefix}0`,
    // In ASCII the colon follows the digits, so all numbered keys sort before the prefix with a colon.
    to: `${keyPrefix}:`,
    length: prefixLength + encodeSequence(0).length,
    digitsAt: prefixLength + 1,
  };
}

/**
 * Returns the number and the key for the next append under a prefix. They follow `lastKey`, the highest stored numbered
 * key; without `lastKey`, they are the first number and key. Throws if the key would be invalid.
 */
export function nextAppendedKey({ namespace, keyPrefix }: AppendRequest, lastKey = ""): AppendedKey {
  const last = decodeSequence(lastKey.slice(keyPrefix.length)) ?? 0;
  const key = keyPrefix + encodeSequence(last + 1);
  checkRecordKey(namespace, key);
  return { key, seq: last + 1 };
}
