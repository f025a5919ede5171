import { AsyncLocalStorage } from "node:async_hooks";

type Timers = Pick<typeof globalThis, "setTimeout" | "clearTimeout" | "setInterval" | "clearInterval">;

const scene = new AsyncLocalStorage<true>();

/** Returns the present global timers. */
export function timersNow(): Timers {
  const { setTimeout, clearTimeout, setInterval, clearInterval } = globalThis;
  return { setTimeout, clearTimeout, setInterval, clearInterval };
}

/**
 * Runs a scene on the fake global timers, and leaves the timers of all other code real: an open connection of an
 * earlier file in the same worker may set timers at any time.
 */
export async function withOwnTimers(real: Timers, play: () => Promise<void>): Promise<void> {
  const fake = timersNow();
  const realTimer = real.setTimeout(() => undefined);
  real.clearTimeout(realTimer);
  const isReal = (timer: unknown): boolean => timer instanceof realTimer.constructor;
  const own = (): Timers => (scene.getStore() === true ? fake : real);
  const set = {
    setTimeout: (...args: Parameters<Timers["setTimeout"]>) => own().setTimeout(...args),
    setInterval: (...args: Parameters<Timers["setInterval"]>) => own().setInterval(...args),
  };
  const clear = {
    clearTimeout: (timer: NodeJS.Timeout | undefined) => (isReal(timer) ? real : fake).clearTimeout(timer),
    clearInterval: (timer: NodeJS.Timeout | undefined) => (isReal(timer) ? real : fake).clearInterval(timer),
  };
  // Needed by code that counts or advances the fake timers, which looks for their clock there.
  for (const [name, timer] of Object.entries(set)) Object.assign(timer, fake[name as keyof typeof set]);
  Object.assign(globalThis, set, clear);
  await scene.run(true, play);
}
