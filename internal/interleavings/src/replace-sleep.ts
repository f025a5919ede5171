import { syncBuiltinESMExports } from "node:module";
import timers from "node:timers/promises";

/** Stands in for `setTimeout` of `node:timers/promises`: resolves when the test says so. */
export type Sleep = (
  ms: number | undefined,
  options: { ref?: boolean | undefined; signal?: AbortSignal | undefined } | undefined,
) => Promise<void>;

/** Replaces the pauses of all code until the returned function is called. Not a mock of the module: files share their worker. */
export function replaceSleep(sleep: Sleep): () => void {
  const real = timers.setTimeout;
  const set = (used: unknown): void => {
    Object.assign(timers, { setTimeout: used });
    syncBuiltinESMExports();
  };
  set(async (ms?: number, value?: unknown, options?: Parameters<Sleep>[1]) => {
    await sleep(ms, options);
    return value;
  });
  return () => set(real);
}
