import type { CheckRun } from "./check-run.ts";

const itemsPerStep = 8;

/** Checks each item, also after one that fails, so that each is told. Passing over many has its price too. */
export function checkAll<Item>(
  items: readonly Item[],
  run: CheckRun,
  check: (item: Item, index: number) => boolean,
): boolean {
  run.spend(items.length / itemsPerStep);
  let fits = true;
  for (const [index, item] of items.entries()) fits = check(item, index) && fits;
  return fits;
}
