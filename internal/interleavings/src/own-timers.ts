import { AsyncLocalStorage } from "node:async_hooks";

type Timers = Pick<typeof globalThis, "setTimeout" | "clearTimeout" | "setInterval" | "clearInterval">;

const scene = new AsyncLocalStorage<true>();

/** Returns the timers of the globals as they are now. */
export function timersNow(): Timers {
  const { setTimeout, clearTimeout, setInterval, clearInterval } = globalThis;
  return { setTimeout, clearTimeout, setInterval, clearInterval };
}

/**
 * Plays a scene on the fake timers of the globals, and leaves those of everything else real: a connection that an earlier file of
 * the worker has left sets its timers whenever it likes.
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
  // Whoever counts or moves the fake timers finds their clock there.
  for (const [name, timer] of Object.entries(set)) Object.assign(timer, fake[name as keyof typeof set]);
  Object.assign(globalThis, set, clear);
  await scene.run(true, play);
}
