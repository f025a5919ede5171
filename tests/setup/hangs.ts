import { beforeAll, beforeEach, expect, inject } from "vitest";
import { HangWatch } from "./hang-watch.ts";

// One for all files of a worker, which runs this file again for each of them.
const shared = globalThis as { hangWatch?: HangWatch };
const watch = (shared.hangWatch ??= new HangWatch({ afterMs: inject("hangsAfterMs") }));

const file = expect.getState().testPath ?? "a file without a path";
/** Ends the watch of the hooks around tests, while no test runs. */
let endHooks = (): void => undefined;
let running = 0;

function beginHooks(): void {
  endHooks = watch.begin(`${file}, a hook outside of its tests`);
}

// Hooks of a setup file are the first to begin and the last to end. What they return is called at the end.
beforeAll(() => {
  beginHooks();
  return () => endHooks();
});

beforeEach(({ task }) => {
  endHooks();
  running += 1;
  const end = watch.begin(task.fullName);
  return () => {
    end();
    running -= 1;
    if (running === 0) beginHooks();
  };
});
