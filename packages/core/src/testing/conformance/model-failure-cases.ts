import { assert } from "./assert.ts";
import type { ErrorCode, TroupeError } from "../../errors/troupe-error.ts";
import { isRetryable } from "../../retry/is-retryable.ts";
import type { ConformanceCases } from "./check-conformance.ts";
import { callersKey, failed, serversKey } from "./model-scenarios.ts";
import type { ModelScenarioName } from "./model-scenarios.ts";
import { failure, stream, textOf } from "./model-subject.ts";
import type { ModelProviderSubject } from "./model-subject.ts";

/** What a `ModelProvider` promises of failures. */
export const modelFailureCases = {
  "calls a refused key of the caller's unauthorized": async (subject) => {
    const error = await failsWith(subject, "caller's key refused", { code: "unauthorized", status: 401 });

    assert.equal(error.fields["vendor"], (await stream(subject, "plain text")).provider.providerId);
  },
  "calls a refused key of its own the model's failure": async (subject) => {
    await failsWith(subject, "server's key refused", { code: "model_failed", status: 401 });
  },
  "reports a rate limit, and how long the vendor asks to wait": async (subject) => {
    const error = await failsWith(subject, "rate limited", { code: "rate_limited", status: 429 });

    assert.equal(error.fields["retryAfterMs"], 2000);
  },
  "reports a vendor that fails": async (subject) => {
    await failsWith(subject, "server error", { code: "model_failed", status: 500 });
    await failsWith(subject, "overloaded", { code: "model_failed", status: 503 });
  },
  "reports a request that the vendor refuses": async (subject) => {
    await failsWith(subject, "request refused", { code: "model_failed", status: 400 });
  },
  "fails on an error within the stream": async (subject) => {
    await failsWith(subject, "error within the stream", { code: "model_failed" });
  },
  "fails on a stream that ends before its answer is complete": async (subject) => {
    await failsWith(subject, "truncated stream", { code: "model_failed", retryable: true });
  },
  "fails on a connection that is closed or reset": async (subject) => {
    await failsWith(subject, "connection closed within the answer", { code: "model_failed", retryable: true });
    await failsWith(subject, "connection reset before the answer", { code: "model_failed", retryable: true });
    await failsWith(subject, "connection reset within the answer", { code: "model_failed", retryable: true });
  },
  "gives a stalled stream up": async (subject) => {
    await failsWith(subject, "stalled stream", { code: "timeout", retryable: true });
  },
  "says which failures may pass": async (subject) => {
    const passing = new Map<ModelScenarioName, boolean>();
    for (const name of ["rate limited", "server error", "overloaded", "request refused"] as const)
      passing.set(name, isRetryable(await failure(subject, name)));

    const expected = { "rate limited": true, "server error": true, overloaded: true, "request refused": false };
    assert.deepEqual(Object.fromEntries(passing), expected);
  },
  "yields what was said before a failure, and no finish": async (subject) => {
    const names = ["error within the stream", "truncated stream", "stalled stream"] as const;
    for (const name of names) {
      const { chunks } = await stream(subject, name);
      assert.notEqual(textOf(chunks), "", name);
      assert.ok(!chunks.some(({ type }) => type === "finish"), name);
    }
  },
  "asks the vendor once, and leaves trying again to its caller": async (subject) => {
    const before = subject.requests().length;
    for (const name of ["server error", "rate limited", "connection reset before the answer"] as const)
      await stream(subject, name);

    assert.equal(subject.requests().length - before, 3);
  },
  "shows no key in any error": async (subject) => {
    for (const name of failed) {
      const { error } = await stream(subject, name);
      // Loaded here for the reason that assert.ts gives.
      const { inspect } = process.getBuiltinModule("node:util");
      const shown = inspect(error, { depth: 10, showHidden: true, maxStringLength: null });
      for (const key of [callersKey, serversKey]) assert.ok(!shown.includes(key), `"${name}" shows a key`);
    }
  },
} satisfies ConformanceCases<ModelProviderSubject>;

type Expected = { code: ErrorCode; status?: number; retryable?: boolean };

async function failsWith(
  subject: ModelProviderSubject,
  name: ModelScenarioName,
  { code, status, retryable }: Expected,
): Promise<TroupeError> {
  const error = await failure(subject, name);
  assert.equal(error.code, code, name);
  if (status !== undefined) assert.equal((error as { status?: number }).status, status, name);
  if (retryable !== undefined) assert.equal(isRetryable(error), retryable, name);
  return error;
}
