/** Enough to hide the latency of a database, and within the connections of a usual pool. */
const concurrency = 8;

/** Maps items to results in their order, up to 8 at a time. After the first failure no further item is started. */
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
