import { syncBuiltinESMExports } from "node:module";
import timers from "node:timers/promises";

type SleepOptions = { readonly signal?: AbortSignal | undefined };

/**
 * Puts the `setTimeout` of `node:timers/promises` on the timers of the globals, which the fake ones of vitest leave on the clock.
 * Returns the function that ends this.
 */
export function fakeSleeps(): () => void {
  const real = timers.setTimeout;
  const set = (used: unknown): void => {
    Object.assign(timers, { setTimeout: used });
    syncBuiltinESMExports();
  };
  set(sleep);
  return () => set(real);
}

/** Sleeps on the timers of the globals. Like the function of Node it rejects with an `AbortError`, and leaves no listener. */
async function sleep<Value>(ms?: number, value?: Value, { signal }: SleepOptions = {}): Promise<Value | undefined> {
  const aborted = (): Error => new DOMException("The operation was aborted", "AbortError");
  if (signal?.aborted === true) throw aborted();
  return await new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", abort);
      resolve(value);
    }, ms);
    const abort = (): void => {
      clearTimeout(timer);
      reject(aborted());
    };
    signal?.addEventListener("abort", abort, { once: true });
  });
}
