import { syncBuiltinESMExports } from "node:module";
import timers from "node:timers/promises";

type SleepOptions = { readonly signal?: AbortSignal | undefined };

/**
 * Puts the `setTimeout` of `node:timers/promises` on the global timers, because vitest's fake timers do not replace it.
 * Returns the function that restores it.
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

/** Sleeps on the global timers. Like Node's function, it rejects with an `AbortError`, and leaves no listener. */
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
