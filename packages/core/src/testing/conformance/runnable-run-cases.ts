import { assert, inTime } from "./assert.ts";
import { addUsage, noUsage } from "../../base/message/token-usage.ts";
import type { StreamChunk } from "../../agents/run/stream-chunk.ts";
import type { RunOpts } from "../../agents/run/run-options.ts";
import { toPublicOutput } from "../../agents/run/run-output.ts";
import { ScriptedModel } from "../scripted-model.ts";
import { scriptedUsage } from "../scripted-answer.ts";
import { createId } from "../../base/util/create-id.ts";
import type { ConformanceCases } from "./check-conformance.ts";
import { eventsOnBus, readAll, runErrorOf } from "./runnable-subject.ts";
import type { RunnableSubject } from "./runnable-subject.ts";
import { getTextContent } from "../../base/message/content.ts";

const text = "Take an umbrella.";

/** Cases of `runnableCases` in which the run completes. */
export const runnableRunCases = {
  "has a name and a kind": async ({ runnable }) => {
    const { name, kind } = await runnable(new ScriptedModel());

    assert.ok(name.length > 0);
    assert.ok(["agent", "team", "workflow", "remote"].includes(kind));
  },
  "runs to a complete output": async ({ runnable }) => {
    const output = await inTime((await runnable(new ScriptedModel(text))).run("Umbrella?"));

    assert.equal(output.text, text);
    assert.equal(output.status, "completed");
    assert.ok(output.toolCalls.every(({ error }) => error === undefined));
  },
  "streams the same answer as run returns": async ({ runnable }) => {
    const stream = (await runnable(new ScriptedModel(text))).stream("Umbrella?");
    const chunks = await readAll(stream);

    assert.equal(textOf(chunks), text);
    const { text: whole, status } = await inTime(stream.output);
    assert.deepEqual({ whole, status }, { whole: text, status: "completed" });
  },
  "ends a stream with exactly one finish chunk": async ({ runnable }) => {
    const chunks = await readAll((await runnable(new ScriptedModel(text))).stream("Umbrella?"));

    assert.deepEqual(
      chunks.filter(({ type }) => type === "finish"),
      chunks.slice(-1),
    );
    assert.equal(chunks.length > 1, true);
  },
  "runs when only its output is awaited": async ({ runnable }) => {
    const stream = (await runnable(new ScriptedModel(text))).stream("Umbrella?");

    assert.equal((await inTime(stream.output)).text, text);
  },
  "runs once when its output is awaited several times": async ({ runnable }) => {
    const model = new ScriptedModel(text).respond(() => text);
    const stream = (await runnable(model)).stream("Umbrella?");
    await readAll(stream);
    await inTime(Promise.all([stream.output, stream.output]));

    assert.equal(model.calls.length, 1);
  },
  "calls no model before the stream is read": async ({ runnable }) => {
    const model = new ScriptedModel(text);
    const stream = (await runnable(model)).stream("Umbrella?");
    await new Promise((resolve) => setTimeout(resolve, 10));

    assert.equal(model.calls.length, 0);
    await readAll(stream);
  },
  "gives each run a new id, which its output has too": async ({ runnable }) => {
    const subject = await runnable(new ScriptedModel(text, text));
    const [one, other] = [subject.stream("1"), subject.stream("2")];
    const outputs = [await inTime(one.output), await inTime(other.output)];

    assert.notEqual(one.runId, other.runId);
    assert.deepEqual(
      outputs.map(({ runId }) => runId),
      [one.runId, other.runId],
    );
  },
  "uses the run id that it is given": async ({ runnable }) => {
    const subject = await runnable(new ScriptedModel(text, text));
    const [ofRun, ofStream] = [createId(), createId()];

    assert.equal((await inTime(subject.run("Umbrella?", { runId: ofRun }))).runId, ofRun);
    assert.equal(subject.stream("Umbrella?", { runId: ofStream }).runId, ofStream);
  },
  "keeps runs at the same time apart": async ({ runnable }) => {
    const model = new ScriptedModel().respond(
      ({ messages }) => `Echo ${getTextContent(messages.at(-1)?.content ?? null)}`,
    );
    const subject = await runnable(model);
    const inputs = Array.from({ length: 5 }, (_, index) => `input${index}`);
    const outputs = await inTime(Promise.all(inputs.map(async (input) => await subject.run(input))));

    for (const [index, output] of outputs.entries()) assert.ok(output.text.includes(`input${index}`), output.text);
  },
  "adds up the usage of its model calls": async ({ runnable }) => {
    const model = new ScriptedModel(text);
    const { usage } = await inTime((await runnable(model)).run("Umbrella?"));
    const { promptTokens, completionTokens, totalTokens } = usage;

    const cost = model.calls.reduce((sum) => addUsage(sum, scriptedUsage), noUsage);
    assert.deepEqual({ promptTokens, completionTokens, totalTokens }, cost);
  },
  "emits one event for the start, each chunk and the end of a run": async ({ runnable }) => {
    const subject = await runnable(new ScriptedModel(text));
    const events = eventsOnBus(subject);
    const stream = subject.stream("Umbrella?");
    const chunks = await readAll(stream);
    const output = await inTime(stream.output);

    const names = events.map(({ name }) => name).filter((name) => name.startsWith("run."));
    assert.deepEqual(names, ["run.start", ...chunks.map(() => "run.stream.chunk"), "run.complete"]);
    for (const { data } of events) assert.equal(data.runId, output.runId);
  },
  "shows no key, user or input in its public output": async ({ runnable }) => {
    const opts = { apiKey: "sk-canary-of-the-run", userId: "user-canary" };
    const output = await inTime((await runnable(new ScriptedModel(text))).run("Umbrella?", opts));
    const shown = JSON.stringify(toPublicOutput(output));

    for (const secret of ["sk-canary", "user-canary", "Umbrella?"]) assert.ok(!shown.includes(secret), secret);
  },
  "refuses unknown options": async ({ runnable }) => {
    const model = new ScriptedModel(text);
    const misspelt = { sesionId: "s1" } as RunOpts;
    const subject = await runnable(model);
    const thrown = await inTime((async () => await subject.run("Umbrella?", misspelt))()).catch(
      (error: unknown) => error,
    );

    assert.equal((thrown as { code?: string }).code, "invalid_request");
    assert.equal(model.calls.length, 0);
  },
  "runs again after a run that failed": async ({ runnable }) => {
    const subject = await runnable(new ScriptedModel({ error: new Error("broken") }, text));
    await runErrorOf(subject.run("Umbrella?"));

    assert.equal((await inTime(subject.run("Umbrella?"))).text, text);
  },
} satisfies ConformanceCases<RunnableSubject>;

function textOf(chunks: readonly StreamChunk[]): string {
  return chunks.map((chunk) => (chunk.type === "text" ? chunk.text : "")).join("");
}
