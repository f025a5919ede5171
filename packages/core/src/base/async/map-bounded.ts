/**
 * The number of concurrent calls of `mapBounded`: enough to hide the latency of a database, and within the usual size
 * of a connection pool.
 */
const concurrency = 8;

/**
 * Calls an async function for each item, at most 8 at a time, and returns the results in the order of the items. After
 * the first failure it rejects and starts no further items.
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

/**
 * Yields items with their indexes. It is a generator, because several loops read from it: if one loop exits with an
 * error, the generator ends, so the other loops end too. The iterator of an array would continue.
 */
function* numbered<Item>(items: readonly Item[]) {
  yield* items.entries();
}
