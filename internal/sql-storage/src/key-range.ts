import type { ListOptions } from "@troupe/core";

/** Keys from `from` up to, but without, `to`, by the bytes of their UTF-8. */
export type KeyRange = { readonly from: string; readonly to: string };

const lastCodePoint = 0x10ffff;

/** Behind every key: no key has more than 1,024 bytes, and this has more of the highest there are. */
const behindAll = String.fromCodePoint(lastCodePoint).repeat(257);

/** The keys that begin with the prefix and come behind `after` in the direction of the listing. */
export function keyRange(prefix: string, { after, reverse = false }: ListOptions = {}): KeyRange {
  const whole = { from: prefix, to: behindPrefix(prefix) };
  if (after === undefined) return whole;
  if (reverse) return { from: whole.from, to: isBefore(after, whole.to) ? after : whole.to };
  // No key holds NUL, so nothing comes between a key and itself with U+0001 at its end.
  const next = `${after}\u0001`;
  return { from: isBefore(whole.from, next) ? next : whole.from, to: whole.to };
}

/** The least text behind all that begin with the prefix: the bytes of UTF-8 are ordered as code points are. */
function behindPrefix(prefix: string): string {
  const points = Array.from(prefix, (character) => character.codePointAt(0) ?? 0);
  while (points.at(-1) === lastCodePoint) points.pop();
  const last = points.pop();
  if (last === undefined) return behindAll;
  // The code points between are surrogates, which no key holds.
  return String.fromCodePoint(...points, last === 0xd7ff ? 0xe000 : last + 1);
}

function isBefore(one: string, other: string): boolean {
  return Buffer.compare(Buffer.from(one), Buffer.from(other)) < 0;
}
