import { compareUtf8 } from "../../base/util/compare-utf8.ts";
import type { RangeQuery } from "./record-database.ts";
import type { ListOptions } from "./storage-driver.ts";

const lastCodePoint = 0x10ffff;

/** A string greater than every key: it is longer than the 1,024 bytes of a key, and consists of the last code point. */
const afterAll = String.fromCodePoint(lastCodePoint).repeat(257);

/**
 * Returns the key range of a listing by prefix, in the form of a database query. It contains the keys that begin with
 * the prefix and come after `after` in the direction of the listing.
 */
export function keyRange(
  prefix: string,
  { after, reverse = false }: ListOptions = {},
): Pick<RangeQuery, "from" | "to"> {
  const whole = { from: prefix, to: afterPrefix(prefix) };
  if (after === undefined) return whole;
  if (reverse) return { from: whole.from, to: compareUtf8(after, whole.to) < 0 ? after : whole.to };
  // No key contains NUL, so no key comes between a key and that key followed by U+0001.
  const next = `${after}\u0001`;
  return { from: compareUtf8(whole.from, next) < 0 ? next : whole.from, to: whole.to };
}

/** Returns the smallest string after all strings that begin with the prefix. UTF-8 sorts by code points. */
function afterPrefix(prefix: string): string {
  const points = Array.from(prefix, (character) => character.codePointAt(0) ?? 0);
  while (points.at(-1) === lastCodePoint) points.pop();
  const last = points.pop();
  if (last === undefined) return afterAll;
  // The code points from U+D800 to U+DFFF are surrogates, which no key contains.
  return String.fromCodePoint(...points, last === 0xd7ff ? 0xe000 : last + 1);
}
