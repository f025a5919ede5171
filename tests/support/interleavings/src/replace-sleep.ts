import { AsyncLocalStorage } from "node:async_hooks";
import { syncBuiltinESMExports } from "node:module";
import timers from "node:timers/promises";

/** A replacement for `setTimeout` of `node:timers/promises` that resolves when the test says so. */
export type Sleep = (
  ms: number | undefined,
  options: { ref?: boolean | undefined; signal?: AbortSignal | undefined } | undefined,
) => Promise<void>;

const scene = new AsyncLocalStorage<object>();

/**
 * Replaces the pauses of what the test starts from now on, until the returned function is called. Call it in the test,
 * not in a hook. Pauses of code that an earlier file of the worker left behind stay real. It does not mock the module,
 * because files share modules.
 */
export function replaceSleep(sleep: Sleep): () => void {
  const real = timers.setTimeout;
  const own = {};
  const set = (used: unknown): void => {
    Object.assign(timers, { setTimeout: used });
    syncBuiltinESMExports();
  };
  scene.enterWith(own);
  set(async (...[ms, value, options]: Parameters<typeof real>) => {
    if (scene.getStore() !== own) return await real(ms, value, options);
    await sleep(ms, options);
    return value;
  });
  return () => set(real);
}
