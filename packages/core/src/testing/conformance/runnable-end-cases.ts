import { assert, failureOf, inTime, until } from "./assert.ts";
import { ModelError } from "../../base/errors/model-error.ts";
import type { Runnable } from "../../agents/run/runnable.ts";
import { ScriptedModel } from "../scripted-model.ts";
import type { ConformanceCases } from "./check-conformance.ts";
import { eventsOnBus, readAll, runErrorOf } from "./runnable-subject.ts";
import type { RunnableSubject } from "./runnable-subject.ts";

const broken = () => ({ text: ["Take ", "an "], error: new ModelError({ providerId: "scripted", status: 500 }) });
const endless = () => new ScriptedModel({ text: "word ".repeat(100), chunkDelayMs: 600_000 });

/** Cases of `runnableCases` in which the run fails or is cancelled. */
export const runnableEndCases = {
  "fails with an error that carries the output so far": async ({ runnable }) => {
    const subject = await runnable(new ScriptedModel(broken()));
    const error = await runErrorOf(subject.stream("Umbrella?").output);

    assert.equal(error.code, "model_failed");
    assert.equal(error.output.text, "Take an ");
  },
  "fails its stream and its output with the same error": async ({ runnable }) => {
    const stream = (await runnable(new ScriptedModel(broken()))).stream("Umbrella?");
    const iterated = await runErrorOf(readAll(stream));
    const awaited = await runErrorOf(stream.output);

    assert.deepEqual([iterated.code, iterated.output.runId], [awaited.code, stream.runId]);
  },
  "leaves no rejection unhandled when it is only iterated": async ({ runnable }) => {
    const unhandled = await unhandledDuring(async () => {
      await failureOf(readAll((await runnable(new ScriptedModel(broken()))).stream("Umbrella?")));
    });

    assert.deepEqual(unhandled, []);
  },
  "emits one run.error and no run.complete for a failed run": async ({ runnable }) => {
    const subject = await runnable(new ScriptedModel(broken()));
    const events = eventsOnBus(subject);
    const error = await runErrorOf(subject.stream("Umbrella?").output);

    const ends = events.filter(({ name }) => name === "run.error" || name === "run.complete");
    assert.deepEqual(
      ends.map(({ name, data }) => [name, data.runId]),
      [["run.error", error.output.runId]],
    );
  },
  "ends as cancelled after cancel()": async ({ runnable }) => {
    const model = endless();
    const subject = await runnable(model);
    const events = eventsOnBus(subject);
    const stream = subject.stream("Umbrella?");
    const output = runErrorOf(stream.output);
    await until(() => model.calls.length === 1);
    stream.cancel("enough");

    assert.equal((await output).code, "cancelled");
    assert.equal(events.filter(({ name }) => name === "run.error").length, 1);
    await modelEnds(model);
  },
  "ends a pending read when it is cancelled": async ({ runnable }) => {
    const stream = (await runnable(endless())).stream("Umbrella?");
    const chunks = stream[Symbol.asyncIterator]();
    await inTime(chunks.next());
    const next = failureOf(inTime(chunks.next()));
    stream.cancel();

    assert.equal(((await next) as { code?: string }).code, "cancelled");
  },
  "ends as cancelled by the caller's signal": async ({ runnable }) => {
    for (const start of [run, streamOutput]) {
      const [model, abort] = [endless(), new AbortController()];
      const output = runErrorOf(start(await runnable(model), abort.signal));
      await until(() => model.calls.length === 1);
      abort.abort();

      assert.equal((await output).code, "cancelled");
      await modelEnds(model);
    }
  },
  "calls no model when the caller's signal has aborted already": async ({ runnable }) => {
    const model = new ScriptedModel("Take an umbrella.");
    const error = await runErrorOf(run(await runnable(model), AbortSignal.abort()));

    assert.equal(error.code, "cancelled");
    assert.ok(model.calls.every(({ end }) => end === "cancelled"));
  },
  "ends as cancelled when the reader leaves early": async ({ runnable }) => {
    const model = endless();
    const subject = await runnable(model);
    const events = eventsOnBus(subject);
    const stream = subject.stream("Umbrella?");
    const chunks = stream[Symbol.asyncIterator]();
    await inTime(chunks.next());
    await inTime(Promise.resolve(chunks.return?.()));

    assert.equal((await runErrorOf(stream.output)).code, "cancelled");
    assert.equal(events.filter(({ name }) => name === "run.error").length, 1);
    await modelEnds(model);
  },
  "changes nothing when it is cancelled after its end": async ({ runnable }) => {
    const subject = await runnable(new ScriptedModel("Take an umbrella."));
    const events = eventsOnBus(subject);
    const stream = subject.stream("Umbrella?");
    await readAll(stream);
    stream.cancel();

    assert.equal((await inTime(stream.output)).status, "completed");
    assert.ok(!events.some(({ name }) => name === "run.error"));
  },
} satisfies ConformanceCases<RunnableSubject>;

async function run(subject: Runnable, signal: AbortSignal): Promise<unknown> {
  return await subject.run("Umbrella?", { signal });
}

async function streamOutput(subject: Runnable, signal: AbortSignal): Promise<unknown> {
  return await subject.stream("Umbrella?", { signal }).output;
}

/** Waits until the model call has ended with its run. */
async function modelEnds(model: ScriptedModel): Promise<void> {
  await until(() => model.calls.every(({ end }) => ["cancelled", "abandoned"].includes(end)));
}

/** Returns the unhandled rejections during `work`, and hides them from the test runner. */
async function unhandledDuring(work: () => Promise<void>): Promise<unknown[]> {
  const unhandled: unknown[] = [];
  const others = process.listeners("unhandledRejection");
  process.removeAllListeners("unhandledRejection");
  process.on("unhandledRejection", (reason) => unhandled.push(reason));
  try {
    await work();
    await new Promise((resolve) => setTimeout(resolve, 5));
  } finally {
    process.removeAllListeners("unhandledRejection");
    for (const other of others) process.on("unhandledRejection", other);
  }
  return unhandled;
}
