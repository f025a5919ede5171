/**
 * The limits of concurrent work: the number of items at once, the signal for all items, and the reason to cancel the
 * others after a failure.
 */
export type ConcurrentWork<Item> = {
  /** The maximum number of items that are worked on at once. @default all items */
  readonly concurrency?: number;
  readonly signal: AbortSignal;
  /** Returns the reason with which the other items are cancelled after an item has failed. */
  readonly reasonOf: (item: Item, index: number) => Error;
};

/**
 * Runs the work of all items, and returns the results in order. The first failure aborts the work of the other items,
 * and is thrown immediately without waiting for them.
 */
export async function runConcurrently<Item, Result>(
  items: readonly Item[],
  { concurrency = items.length, signal: outer, reasonOf }: ConcurrentWork<Item>,
  run: (item: Item, index: number, signal: AbortSignal) => Promise<Result>,
): Promise<Result[]> {
  const abort = new AbortController();
  const signal = AbortSignal.any([outer, abort.signal]);
  const results: Result[] = [];
  const rest = numbered(items);
  const work = async (): Promise<void> => {
    for (const [index, item] of rest) {
      try {
        results[index] = await run(item, index, signal);
      } catch (error) {
        abort.abort(reasonOf(item, index));
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, items.length) }, work));
  return results;
}

/**
 * Yields items with their indexes. Several loops read from the generator: a loop that exits with an error closes it for
 * the others too.
 */
function* numbered<Item>(items: readonly Item[]): Generator<[number, Item]> {
  yield* items.entries();
}
