import { assert } from "./assert.ts";

/** Gives what the promise gives, or fails when that takes longer than it may. */
export async function within<Result>(promise: Promise<Result>, waitMs = 1000): Promise<Result> {
  const late = new Promise<never>((_resolve, reject) => {
    const fail = () => reject(new assert.AssertionError({ message: `this took longer than ${waitMs} ms` }));
    const timer = setTimeout(fail, waitMs);
    void promise.finally(() => clearTimeout(timer)).catch(() => undefined);
  });
  return await Promise.race([promise, late]);
}

/** Waits until something is so, and fails when it takes longer than it may. */
export async function until(isSo: () => boolean, waitMs = 1000): Promise<void> {
  const end = performance.now() + waitMs;
  while (!isSo()) {
    assert.ok(performance.now() < end, `this was not so within ${waitMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}
