/** The units whose order is not that of UTF-8; where at most one text holds any, the engine's own order is the right one. */
const isOddlyOrdered = /[\ud800-\uffff]/;

/** Orders two texts by their bytes in UTF-8, as databases do. Both must be well-formed. */
export function compareUtf8(left: string, right: string): number {
  if (left === right) return 0;
  if (isOddlyOrdered.test(left) && isOddlyOrdered.test(right)) return compareUnits(left, right);
  return left < right ? -1 : 1;
}

/** Tells which texts come before this one: like `compareUtf8`, for many of them. */
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

/** UTF-16 writes what lies beyond U+FFFF with units from the middle of its range; in UTF-8 it comes last. */
function rank(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}
