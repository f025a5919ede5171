import { withTimeout } from "../../async/with-timeout.ts";
import { assert } from "./assert.ts";

/** Returns what the promise resolves to; an assertion fails when that takes longer than `waitMs`. */
export async function inTime<Result>(promise: Promise<Result>, waitMs = 1000): Promise<Result> {
  // `then` at once: a run that its output drives begins with it, and not a moment later.
  return await withTimeout(
    promise.then((result) => result),
    {
      timeoutMs: waitMs,
      onTimeout: () => assert.fail(`this took longer than ${waitMs} ms`),
    },
  );
}

/** Waits until something is so, and fails when it takes longer than it may. */
export async function until(isSo: () => boolean, waitMs = 1000): Promise<void> {
  const end = performance.now() + waitMs;
  while (!isSo()) {
    assert.ok(performance.now() < end, `this was not so within ${waitMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}
