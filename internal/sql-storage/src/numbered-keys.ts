import { checkKey, decodeSequence, encodeSequence } from "@troupe/core/adapter";
import type { Appended, AppendRequest } from "@troupe/core/adapter";

/** Describes the keys that are the prefix and a sequence number: a range, their length, and the place of the digits. */
export function numberedKeys(keyPrefix: string) {
  const prefixLength = Array.from(keyPrefix).length;
  return {
    from: `${keyPrefix}0`,
    // A colon is the next character after the digits.
    to: `${keyPrefix}:`,
    length: prefixLength + encodeSequence(0).length,
    digitsAt: prefixLength + 1,
  };
}

/** Returns the number and key after `lastKey`, the highest numbered one; the first, without one. */
export function nextNumbered({ namespace, keyPrefix }: AppendRequest, lastKey = ""): Appended {
  const last = decodeSequence(lastKey.slice(keyPrefix.length)) ?? 0;
  const key = keyPrefix + encodeSequence(last + 1);
  checkKey(namespace, key);
  return { key, seq: last + 1 };
}
