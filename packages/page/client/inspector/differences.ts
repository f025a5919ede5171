/** A piece of a text, and true if the other text lacks it. */
export type Piece = { readonly text: string; readonly isOwn: boolean };

/** The most words of a text that are compared. Of longer texts nothing is marked. */
const mostWords = 800;

/** Returns two texts in pieces: words that both have in the same order, and words that one of them has alone. */
export function compareTexts(first: string, second: string): readonly [Piece[], Piece[]] {
  const [one, other] = [wordsOf(first), wordsOf(second)];
  if (one.length > mostWords || other.length > mostWords)
    return [[{ text: first, isOwn: false }], [{ text: second, isOwn: false }]];
  const shared = findShared(one, other);
  return [joinPieces(one, shared[0]), joinPieces(other, shared[1])];
}

/** Returns the places of the words that both texts have in the same order. */
function findShared(one: readonly string[], other: readonly string[]): readonly [Set<number>, Set<number>] {
  const lengths = commonLengths(one, other);
  const shared: readonly [Set<number>, Set<number>] = [new Set(), new Set()];
  let [at, to] = [0, 0];
  while (at < one.length && to < other.length) {
    if (one[at] === other[to]) {
      shared[0].add(at++);
      shared[1].add(to++);
    } else if ((lengths[at + 1]?.[to] ?? 0) >= (lengths[at]?.[to + 1] ?? 0)) at++;
    else to++;
  }
  return shared;
}

/** Splits a text into words, each with the space after it. */
function wordsOf(text: string): string[] {
  return text.match(/\s*\S+\s*/gu) ?? (text === "" ? [] : [text]);
}

/** Returns for each pair of places the number of words that the rests of both texts have in the same order. */
function commonLengths(one: readonly string[], other: readonly string[]): number[][] {
  const lengths = Array.from({ length: one.length + 1 }, () => Array.from({ length: other.length + 1 }, () => 0));
  for (let at = one.length - 1; at >= 0; at--)
    for (let to = other.length - 1; to >= 0; to--) {
      const [row = [], below = []] = [lengths[at], lengths[at + 1]];
      row[to] = one[at] === other[to] ? (below[to + 1] ?? 0) + 1 : Math.max(below[to] ?? 0, row[to + 1] ?? 0);
    }
  return lengths;
}

function joinPieces(words: readonly string[], shared: ReadonlySet<number>): Piece[] {
  const pieces: { text: string; isOwn: boolean }[] = [];
  for (const [index, text] of words.entries()) {
    const isOwn = !shared.has(index);
    const last = pieces.at(-1);
    if (last?.isOwn === isOwn) last.text += text;
    else pieces.push({ text, isOwn });
  }
  return pieces;
}
