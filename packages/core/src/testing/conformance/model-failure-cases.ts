import { assert, rejectsWith, inTime, until } from "./assert.ts";
import type { ErrorCode, TroupeError } from "../../base/errors/troupe-error.ts";
import { isRetryable } from "../../base/retry/is-retryable.ts";
import type { ConformanceCases } from "./check-conformance.ts";
import { callersKey, failedScenarios, configuredApiKey } from "./model-scenarios.ts";
import type { ModelScenarioName } from "./model-scenarios.ts";
import { failure, streamed, textOf, generate, open, requestsOf } from "./model-subject.ts";
import type { ModelProviderSubject } from "./model-subject.ts";
import { getEventListeners } from "node:events";

/** Cases of `modelProviderCases` in which the vendor or the connection fails. */
export const modelFailureCases = {
  "reports a refused key of the caller as unauthorized": async (subject) => {
    const error = await failsWith(subject, "caller's key refused", { code: "unauthorized", status: 401 });

    assert.equal(error.fields["vendor"], (await streamed(subject, "plain text")).provider.providerId);
  },
  "reports a refused key of its own as model_failed": async (subject) => {
    await failsWith(subject, "server's key refused", { code: "model_failed", status: 401 });
  },
  "reports a rate limit with the vendor's retry-after time": async (subject) => {
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
  "ends a stalled stream as a timeout": async (subject) => {
    await failsWith(subject, "stalled stream", { code: "timeout", retryable: true });
  },
  "marks which failures can be retried": async (subject) => {
    const passing = new Map<ModelScenarioName, boolean>();
    for (const name of ["rate limited", "server error", "overloaded", "request refused"] as const)
      passing.set(name, isRetryable(await failure(subject, name)));

    const expected = { "rate limited": true, "server error": true, overloaded: true, "request refused": false };
    assert.deepEqual(Object.fromEntries(passing), expected);
  },
  "yields the text before a failure, and no finish chunk": async (subject) => {
    const names = ["error within the stream", "truncated stream", "stalled stream"] as const;
    for (const name of names) {
      const { chunks } = await streamed(subject, name);
      assert.notEqual(textOf(chunks), "", name);
      assert.ok(!chunks.some(({ type }) => type === "finish"), name);
    }
  },
  "calls the vendor once and leaves retries to its caller": async (subject) => {
    const before = requestsOf(subject).length;
    for (const name of ["server error", "rate limited", "connection reset before the answer"] as const)
      await streamed(subject, name);

    assert.equal(requestsOf(subject).length - before, 3);
  },
  "shows no key in any error": async (subject) => {
    for (const name of failedScenarios) {
      const { error } = await streamed(subject, name);
      // `node:util` is loaded on first use, like `assert`.
      const { inspect } = process.getBuiltinModule("node:util");
      const shown = inspect(error, { depth: 10, showHidden: true, maxStringLength: null });
      for (const key of [callersKey, configuredApiKey]) assert.ok(!shown.includes(key), `"${name}" shows a key`);
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

/** Cases of `modelProviderCases` in which the caller cancels a call by its signal. */
export const modelSignalCases = {
  "requests nothing when its signal has aborted already": async (subject) => {
    const options = { signal: AbortSignal.abort() };
    await rejectsWith(generate(subject, "plain text", options), "cancelled");
    await rejectsWith(drained((await open(subject, "plain text", options)).stream), "cancelled");

    assert.ok((subject.requests?.() ?? []).every(({ end }) => end !== "completed"));
  },
  "ends a stream that waits for its first byte when the signal aborts": async (subject) => {
    const abort = new AbortController();
    const { stream } = await open(subject, "silence before the answer", { signal: abort.signal });
    await endsAtOnce(subject, drained(stream), { abort });
  },
  "ends a stream that waits for the next byte when the signal aborts": async (subject) => {
    const abort = new AbortController();
    const { stream } = await open(subject, "silence within the answer", { signal: abort.signal });
    const chunks = stream[Symbol.asyncIterator]();
    assert.equal((await inTime(chunks.next())).done, false);
    await endsAtOnce(subject, drained({ [Symbol.asyncIterator]: () => chunks }), { abort });
  },
  "ends a pending generate call when the signal aborts": async (subject) => {
    const abort = new AbortController();
    const asked = generate(subject, "silence before the answer", { signal: abort.signal });
    await endsAtOnce(subject, asked, { abort });
  },
  "reports a timeout when the signal aborts with a TimeoutError": async (subject) => {
    const abort = new AbortController();
    const { stream } = await open(subject, "silence before the answer", { signal: abort.signal });
    const reason = new DOMException("The time is up.", "TimeoutError");
    await endsAtOnce(subject, drained(stream), { abort, reason, code: "timeout" });
  },
  "ends the vendor's request when the reader leaves early": async (subject) => {
    const { stream } = await open(subject, "silence within the answer");
    const chunks = stream[Symbol.asyncIterator]();
    await inTime(chunks.next());
    await inTime(Promise.resolve(chunks.return?.()));

    await until(() => requestsOf(subject).at(-1)?.end === "abandoned");
  },
  "leaves no listener on the signal": async (subject) => {
    const { signal } = new AbortController();
    await generate(subject, "plain text", { signal });
    await drained((await open(subject, "one tool call", { signal })).stream);
    await drained((await open(subject, "server error", { signal })).stream).catch(() => undefined);

    assert.equal(getEventListeners(signal, "abort").length, 0);
  },
} satisfies ConformanceCases<ModelProviderSubject>;

/** Aborts after the request has reached the vendor, and asserts that the call and the request end immediately. */
async function endsAtOnce(
  subject: ModelProviderSubject,
  call: Promise<unknown>,
  { abort, reason, code = "cancelled" }: { abort: AbortController; reason?: unknown; code?: ErrorCode },
): Promise<void> {
  requestsOf(subject);
  // The rejection is handled from the start, because the promise may reject before it is awaited.
  const rejected = rejectsWith(call, code);
  rejected.catch(() => undefined);
  await until(() => requestsOf(subject).at(-1)?.end === "open");
  abort.abort(reason);
  await inTime(rejected);
  await until(() => requestsOf(subject).at(-1)?.end === "abandoned");
}

async function drained(stream: AsyncIterable<unknown>): Promise<void> {
  const chunks = stream[Symbol.asyncIterator]();
  let step = await chunks.next();
  while (step.done !== true) step = await chunks.next();
}
