import type NodeAssert from "node:assert/strict";
import type { AsyncLocalStorage } from "node:async_hooks";
import type { ErrorCode } from "../../base/errors/troupe-error.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";

const load = (): typeof NodeAssert => process.getBuiltinModule("node:assert/strict");

/**
 * Node's strict assertions, loaded by the first assertion. Importing them is slow and reads the environment, and most
 * users of this entry point only need a scripted model.
 */
export const assert: typeof NodeAssert = new Proxy((() => {}) as unknown as typeof NodeAssert, {
  get: (_target, name): unknown => Reflect.get(load(), name),
  apply: (_target, _this, args: Parameters<typeof NodeAssert>) => load()(...args),
});

/** The share of its usual time that a case waits, for the cases run by `withPatience`. */
const shareOfPatience: AsyncLocalStorage<number> = new (process.getBuiltinModule(
  "node:async_hooks",
).AsyncLocalStorage)();

/**
 * Runs a case that waits only a share of the usual time before it decides that its subject hangs. For tests of the
 * suites themselves, whose subjects hang on purpose; other subjects get the whole time.
 */
export async function withPatience<Result>(share: number, run: () => Promise<Result> | Result): Promise<Result> {
  return await shareOfPatience.run(share, run);
}

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

/**
 * Returns the value of the promise. An assertion fails if the promise is still pending after `usualMs` of idle event
 * loop, or after a minute of processor time. Time in which the process is busy does not count towards `usualMs`,
 * because a busy machine may be slow.
 */
export async function inTime<Result>(promise: Promise<Result>, usualMs = 4000): Promise<Result> {
  const waitMs = usualMs * (shareOfPatience.getStore() ?? 1);
  const patience = new Patience(waitMs);
  let timer: NodeJS.Timeout | undefined;
  const hangs = new Promise<never>((_, reject) => {
    const look = () => {
      if (!patience.isOver()) return;
      clearInterval(timer);
      reject(new assert.AssertionError({ message: `this took longer than ${waitMs} ms` }));
    };
    timer = setInterval(look, Math.min(waitMs, 100));
  });
  try {
    // `then` is called immediately, because awaiting the output of a run starts the run.
    return await Promise.race([promise.then((result) => result), hangs]);
  } finally {
    clearInterval(timer);
  }
}

/**
 * Waits until the condition holds. An assertion fails if it does not hold after `usualMs` of idle event loop, or after
 * a minute of processor time.
 */
export async function until(holds: () => boolean, usualMs = 4000): Promise<void> {
  const waitMs = usualMs * (shareOfPatience.getStore() ?? 1);
  const patience = new Patience(waitMs);
  while (!holds()) {
    assert.ok(!patience.isOver(), `the condition did not hold within ${waitMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

/**
 * The time that a test may wait: milliseconds in which the event loop was idle, or a minute of processor time. A
 * process that gets no processor time uses up neither, and keeps waiting.
 */
class Patience {
  // Imports the clock from `node:perf_hooks`, because a test may have replaced the global `performance` by a fake.
  readonly #clock = process.getBuiltinModule("node:perf_hooks").performance;
  readonly #idleBefore = this.#clock.eventLoopUtilization().idle;
  readonly #cpuBefore = process.cpuUsage();
  readonly #waitMs: number;

  constructor(waitMs: number) {
    this.#waitMs = waitMs;
  }

  isOver(): boolean {
    const idle = this.#clock.eventLoopUtilization().idle - this.#idleBefore;
    const { user, system } = process.cpuUsage(this.#cpuBefore);
    return idle >= this.#waitMs || user + system >= 60_000_000;
  }
}
