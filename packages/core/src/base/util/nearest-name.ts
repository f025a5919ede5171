/**
 * The maximum length of a name that is compared, in characters, to bound the work. Longer names have no similar name.
 */
const longestName = 40;

/**
 * Returns the name that is most similar to the given name, or `undefined`. Names may differ by two letters (one letter
 * in a short name), by case and by separators.
 */
export function nearestName(given: string, names: readonly string[]): string | undefined {
  if (given.length > longestName) return undefined;
  const plain = toPlain(given);
  const slips = names.map((name) => ({ name, count: countSlips(plain, toPlain(name)) }));
  const [nearest] = slips.toSorted((one, other) => one.count - other.count);
  if (nearest === undefined) return undefined;
  // With two changed letters, two short names have hardly anything in common.
  const most = Math.min(plain.length, toPlain(nearest.name).length) > 3 ? 2 : 1;
  return nearest.count <= most ? nearest.name : undefined;
}

function toPlain(name: string): string {
  return name.toLowerCase().replaceAll(/[_-]/g, "");
}

/**
 * Returns the number of letters to insert, delete or replace that turn one name into the other (Levenshtein distance).
 */
function countSlips(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let line = 0; line < one.length; line++) {
    const next = [line + 1];
    for (let index = 0; index < other.length; index++) {
      const [above = 0, diagonal = 0, left = 0] = [row[index + 1], row[index], next[index]];
      next.push(Math.min(above + 1, left + 1, diagonal + (one[line] === other[index] ? 0 : 1)));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
