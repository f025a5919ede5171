import { syncBuiltinESMExports } from "node:module";
import timers from "node:timers/promises";
import { vi } from "vitest";

/** Stands in for `setTimeout` of `node:timers/promises`: resolves when the test says so. */
export type Sleep = (
  ms: number | undefined,
  options: { ref?: boolean | undefined; signal?: AbortSignal | undefined } | undefined,
) => Promise<void>;

/** Replaces the pauses of all code until the returned function is called. Not a mock of the module: files share their worker. */
export function replaceSleep(sleep: Sleep): () => void {
  const spy = vi.spyOn(timers, "setTimeout").mockImplementation(async (ms, value, options) => {
    await sleep(ms, options);
    return value;
  });
  syncBuiltinESMExports();
  return () => {
    spy.mockRestore();
    syncBuiltinESMExports();
  };
}
