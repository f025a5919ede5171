import { assert } from "./assert.ts";
import type { ErrorCode } from "../../errors/troupe-error.ts";
import { TroupeError } from "../../errors/troupe-error.ts";

/** Asserts that the promise rejects with a `TroupeError` of this code, and returns the error. */
export async function rejectsWith(promise: Promise<unknown>, code: ErrorCode): Promise<TroupeError> {
  const thrown = await failureOf(promise);
  assert.ok(TroupeError.is(thrown), `expected a TroupeError, but got ${String(thrown)}`);
  assert.equal(thrown.code, code);
  return thrown;
}

/** Asserts that the promise rejects, and returns what with. */
export async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  const outcome = await promise.then(
    () => ({ failed: false, error: undefined }),
    (error: unknown) => ({ failed: true, error }),
  );
  assert.ok(outcome.failed, "expected a rejection, but it resolved");
  return outcome.error;
}
