import { assert } from "./assert.ts";
import { getEventListeners } from "node:events";
import type { ErrorCode } from "../../errors/troupe-error.ts";
import type { ConformanceCases } from "./check-conformance.ts";
import { generate, open } from "./model-subject.ts";
import type { ModelProviderSubject } from "./model-subject.ts";
import { rejectsWith } from "./rejects-with.ts";
import { inTime, until } from "./wait.ts";

/** What a `ModelProvider` promises of the end of its calls. */
export const modelSignalCases = {
  "asks nothing once its signal has aborted": async (subject) => {
    const options = { signal: AbortSignal.abort() };
    await rejectsWith(generate(subject, "plain text", options), "cancelled");
    await rejectsWith(drained((await open(subject, "plain text", options)).stream), "cancelled");

    assert.ok(subject.requests().every(({ end }) => end !== "completed"));
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
  "ends a whole answer that is waited for when the signal aborts": async (subject) => {
    const abort = new AbortController();
    const asked = generate(subject, "silence before the answer", { signal: abort.signal });
    await endsAtOnce(subject, asked, { abort });
  },
  "calls it a timeout when the signal's time ran out": async (subject) => {
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

    await until(() => subject.requests().at(-1)?.end === "left");
  },
  "leaves nothing on the signal when it is done": async (subject) => {
    const { signal } = new AbortController();
    await generate(subject, "plain text", { signal });
    await drained((await open(subject, "one tool call", { signal })).stream);
    await drained((await open(subject, "server error", { signal })).stream).catch(() => undefined);

    assert.equal(getEventListeners(signal, "abort").length, 0);
  },
} satisfies ConformanceCases<ModelProviderSubject>;

/** Aborts once the vendor has been asked: the call ends at once, and so does the vendor's request. */
async function endsAtOnce(
  subject: ModelProviderSubject,
  call: Promise<unknown>,
  { abort, reason, code = "cancelled" }: { abort: AbortController; reason?: unknown; code?: ErrorCode },
): Promise<void> {
  // Handled from the start: it may end before anybody looks.
  const rejected = rejectsWith(call, code);
  rejected.catch(() => undefined);
  await until(() => subject.requests().at(-1)?.end === "open");
  abort.abort(reason);
  await inTime(rejected);
  await until(() => subject.requests().at(-1)?.end === "left");
}

async function drained(stream: AsyncIterable<unknown>): Promise<void> {
  const chunks = stream[Symbol.asyncIterator]();
  let step = await chunks.next();
  while (step.done !== true) step = await chunks.next();
}
