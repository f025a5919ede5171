/** Enough to hide the way to a database, and within the connections that a pool has. */
const atOnce = 8;

/** Maps the items in their order, a few at a time; after the first failure no further one is begun. */
export async function mapBounded<Item, Result>(
  items: readonly Item[],
  map: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const rest = numbered(items);
  const work = async () => {
    for (const [index, item] of rest) results[index] = await map(item);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, work));
  return results;
}

/** A generator and not the list's own iterator: a loop that is left by an error closes it for all others. */
function* numbered<Item>(items: readonly Item[]) {
  yield* items.entries();
}
