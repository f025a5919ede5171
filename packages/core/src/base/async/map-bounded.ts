/** Enough to hide the latency of a database, and within the connections of a usual pool. */
const concurrency = 8;

/**
 * Calls an async function for each item, at most 8 at a time, and returns the results in the order of the items. After
 * the first failure it rejects and starts no further item.
 */
export async function mapBounded<Item, Result>(
  items: readonly Item[],
  map: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const rest = numbered(items);
  const work = async () => {
    for (const [index, item] of rest) results[index] = await map(item);
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, items.length) }, work));
  return results;
}

/** A generator, and not the array's own iterator: a loop that is left by an error closes it for all others. */
function* numbered<Item>(items: readonly Item[]) {
  yield* items.entries();
}
