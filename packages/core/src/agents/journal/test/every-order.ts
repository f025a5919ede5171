import type { StorageDriver } from "../../../sessions/storage/storage-driver.ts";

/** A storage call of a worker that waits for its turn. */
type Call = () => void;

/** A worker under the scheduler: its calls wait until they are let through. */
type Worker = { calls: Call[]; isOver: boolean };

/**
 * Runs work once for each order in which the storage calls of its workers can be made. `start` is called anew for each
 * order, with a function that makes a worker's own connection to a storage, and returns the promises of the workers, in
 * the same order. Returns the number of orders.
 */
export async function inEveryOrder(
  start: (connect: (driver: StorageDriver) => StorageDriver) => readonly Promise<unknown>[],
  check: (order: string) => Promise<void>,
): Promise<number> {
  let orders = 0;
  for (let next: number[] | undefined = []; next !== undefined; orders++) {
    const taken = await runOnce(start, next);
    await check(taken.map(({ choice }) => choice).join(""));
    next = following(taken);
  }
  return orders;
}

type Choice = { readonly choice: number; readonly options: number };

/** Runs the work with these first choices, and the first worker that can go on after them. Returns all choices. */
async function runOnce(
  start: (connect: (driver: StorageDriver) => StorageDriver) => readonly Promise<unknown>[],
  choices: readonly number[],
): Promise<Choice[]> {
  const workers: Worker[] = [];
  const promises = start((driver) => {
    const worker: Worker = { calls: [], isOver: false };
    workers.push(worker);
    return gated(driver, worker.calls);
  });
  for (const [index, worker] of workers.entries()) {
    const end = () => void (worker.isOver = true);
    promises[index]?.then(end, end);
  }
  const taken = await schedule(workers, choices);
  await Promise.all(promises);
  return taken;
}

/** Lets one call through after the other, until all workers are over. */
async function schedule(workers: readonly Worker[], choices: readonly number[]): Promise<Choice[]> {
  const taken: Choice[] = [];
  for (;;) {
    // Each worker comes to a call or to its end, whatever it does until then.
    while (!workers.every(({ isOver, calls }) => isOver || calls.length > 0)) await nextTurn();
    const ready = workers.filter(({ calls }) => calls.length > 0);
    if (ready.length === 0) return taken;
    const choice = ready.length === 1 ? 0 : (choices[taken.length] ?? 0);
    if (ready.length > 1) taken.push({ choice, options: ready.length });
    ready[choice]?.calls.shift()?.();
    await nextTurn();
  }
}

/** Returns the first choices of the next order, by depth first. */
function following(taken: readonly Choice[]): number[] | undefined {
  const last = taken.findLastIndex(({ choice, options }) => choice + 1 < options);
  if (last === -1) return undefined;
  return taken.slice(0, last + 1).map(({ choice }, index) => (index === last ? choice + 1 : choice));
}

function gated(driver: StorageDriver, calls: Call[]): StorageDriver {
  return new Proxy(driver, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== "function") return member;
      return async (...args: unknown[]) => {
        await new Promise<void>((resolve) => calls.push(resolve));
        return (await Reflect.apply(member, target, args)) as unknown;
      };
    },
  });
}

async function nextTurn(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}
