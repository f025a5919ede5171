import type NodeAssert from "node:assert/strict";
import type { ErrorCode } from "../../errors/troupe-error.ts";
import { TroupeError } from "../../errors/troupe-error.ts";
import { withTimeout } from "../../async/with-timeout.ts";

const load = (): typeof NodeAssert => process.getBuiltinModule("node:assert/strict");

/**
 * Node's strict assertions, loaded at the first assertion: importing them is slow and reads the environment, and most users
 * of this entry point only need a scripted model.
 */
export const assert: typeof NodeAssert = new Proxy((() => {}) as unknown as typeof NodeAssert, {
  get: (_target, name): unknown => Reflect.get(load(), name),
  apply: (_target, _this, args: Parameters<typeof NodeAssert>) => load()(...args),
});

/** Asserts that the promise rejects with a `TroupeError` of this code, and returns the error. */
export async function rejectsWith(promise: Promise<unknown>, code: ErrorCode): Promise<TroupeError> {
  const thrown = await failureOf(promise);
  assert.ok(TroupeError.is(thrown), `expected a TroupeError, but got ${String(thrown)}`);
  assert.equal(thrown.code, code);
  return thrown;
}

/** Asserts that the promise rejects, and returns the reason. */
export async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  const outcome = await promise.then(
    () => ({ failed: false, error: undefined }),
    (error: unknown) => ({ failed: true, error }),
  );
  assert.ok(outcome.failed, "expected a rejection, but it resolved");
  return outcome.error;
}

/** Returns what the promise resolves to; an assertion fails when that takes longer than `waitMs`. */
export async function inTime<Result>(promise: Promise<Result>, waitMs = 4000): Promise<Result> {
  // `then` at once, because awaiting the output of a run starts the run.
  return await withTimeout(
    promise.then((result) => result),
    {
      timeoutMs: waitMs,
      onTimeout: () => assert.fail(`this took longer than ${waitMs} ms`),
    },
  );
}

/** Waits until the condition holds; an assertion fails when that takes longer than `waitMs`. */
export async function until(holds: () => boolean, waitMs = 4000): Promise<void> {
  const end = performance.now() + waitMs;
  while (!holds()) {
    assert.ok(performance.now() < end, `the condition did not hold within ${waitMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}
