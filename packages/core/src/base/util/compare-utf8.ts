/**
 * Code units whose order in JavaScript strings differs from the order of their UTF-8 bytes. If at most one of two
 * strings contains such units, JavaScript's order is correct.
 */
const isOddlyOrdered = /[\ud800-\uffff]/;

/**
 * Compares two well-formed strings by their UTF-8 bytes, as databases sort keys. Returns a negative number, 0 or a
 * positive number.
 */
export function compareUtf8(left: string, right: string): number {
  if (left === right) return 0;
  if (isOddlyOrdered.test(left) && isOddlyOrdered.test(right)) return compareUnits(left, right);
  return left < right ? -1 : 1;
}

/**
 * Returns a predicate that is true for strings before `text` in the order of UTF-8 bytes. It is faster than
 * `compareUtf8` for many comparisons with one string.
 */
export function isBeforeUtf8(text: string): (other: string) => boolean {
  return isOddlyOrdered.test(text) ? (other) => compareUtf8(other, text) < 0 : (other) => other < text;
}

function compareUnits(left: string, right: string): number {
  const length = Math.min(left.length, right.length);
  for (let index = 0; index < length; index++) {
    const [one, other] = [left.charCodeAt(index), right.charCodeAt(index)];
    if (one !== other) return rank(one) - rank(other);
  }
  return left.length - right.length;
}

/** Ranks a code unit as in UTF-8, which puts characters beyond U+FFFF (surrogates in UTF-16) last. */
function rank(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}
