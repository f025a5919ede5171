import { describe, expect, it } from "vitest";
import { RunError } from "../run/run-output.ts";
import type { CompleteRunOutput } from "../run/run-output.ts";
import type { RunExecution } from "../run/run-execution.ts";
import type { StreamChunk } from "../run/stream-chunk.ts";
import type { ScriptedAnswer } from "../../testing/scripted-answer.ts";
import { toWorkflowResult } from "./run-workflow.ts";
import type { PlannedWorkflowRun } from "./run-workflow.ts";
import type { StateRecord } from "./state-shape.ts";
import { readSteps } from "./steps.ts";
import { StepTrace } from "./step-trace.ts";
import { agentOf } from "./test/agents.ts";
import { Workflow } from "./workflow.ts";
import { WorkflowError } from "./workflow-result.ts";
import type { WorkflowStep } from "./workflow-step.ts";

const say = (name: string, ...turns: ScriptedAnswer[]) => ({ name, agent: agentOf(...turns) });
const two = (name: string): WorkflowStep<{ n: number }> => say(name, { text: [`${name}1 `, `${name}2`] });
const when = (name: string, holds: boolean, ...steps: WorkflowStep<{ n: number }>[]) => ({
  name,
  condition: () => holds,
  steps,
});
const beside = (name: string, ...parallel: WorkflowStep<{ n: number }>[]) => ({ name, parallel });
const mark = { name: "mark", run: () => ({ n: 2 }) };

const streamOf = (...steps: WorkflowStep<{ n: number }>[]) =>
  new Workflow({ name: "flow", initialState: { n: 1 }, steps }).asRunnable().stream("go");

describe("the stream of a workflow as a runnable", () => {
  it.each<[string, WorkflowStep<{ n: number }>[], string[]]>([
    ["the only agent", [two("a"), mark], ["a1 ", "a2"]],
    ["the last of agents", [two("a"), two("b"), mark], ["b1 ", "b2"]],
    ["the last agent, in a condition that holds", [two("a"), when("w", true, two("b"), two("c"), mark)], ["c1 ", "c2"]],
    ["the last agent alone, in a condition that does not hold", [two("a"), when("w", false, two("b"))], ["a1 a2"]],
    ["the one agent of a parallel step", [two("a"), beside("p", mark, two("b"))], ["b1 ", "b2"]],
    ["the one agent in a condition of a parallel step", [beside("p", mark, when("w", true, two("b")))], ["b1 ", "b2"]],
    ["agents in parallel, joined", [two("a"), beside("p", two("b"), two("c"))], ["b1 b2\n\nc1 c2"]],
    ["two agents of one branch, joined", [beside("p", mark, when("w", true, two("b"), two("c")))], ["c1 c2"]],
    ["no agent: the state", [mark], ['{"n":2}']],
    ["no step: the state", [], ['{"n":1}']],
  ])("has the text of %s", async (_what, steps, texts) => {
    const stream = streamOf(...steps);
    const chunks = await Array.fromAsync(stream);

    expect(chunks.filter(({ type }) => type !== "finish")).toEqual(texts.map((text) => ({ type: "text", text })));
    expect(chunks.filter(({ type }) => type === "finish")).toEqual([chunks.at(-1)]);
    expect((await stream.output).text).toBe(texts.join(""));
  });

  it("has the thinking and the finish reason of the agent that answers, but only text in its text", async () => {
    const stream = streamOf(
      say("a", "Hi."),
      say("b", { thinking: "Hm.", text: ["Long "], finishReason: "length" }),
      mark,
    );
    const chunks: StreamChunk[] = await Array.fromAsync(stream);

    expect(chunks).toMatchObject([
      { type: "thinking", text: "Hm." },
      { type: "text", text: "Long " },
      { type: "finish", finishReason: "length" },
    ]);
    expect(await stream.output).toMatchObject({ text: "Long ", structured: { n: 2, a: "Hi.", b: "Long " } });
  });

  it("has the chunks before a failure, and rejects with the state until then", async () => {
    const stream = streamOf(mark, say("a", { text: ["Half "], error: new Error("broken") }));
    const texts: unknown[] = [];
    const reading = async () => {
      for await (const chunk of stream) texts.push(chunk);
    };

    await expect(reading()).rejects.toMatchObject({ fields: { step: "a" } });
    expect(texts).toEqual([{ type: "text", text: "Half " }]);
    await expect(stream.output).rejects.toMatchObject({
      output: { status: "error", text: "Half ", structured: { n: 2 } },
    });
  });
});

describe("toWorkflowResult", () => {
  const usage = { promptTokens: 1, completionTokens: 2, totalTokens: 3 };
  const output: CompleteRunOutput = {
    text: "x",
    toolCalls: [],
    usage,
    runId: "other",
    sessionId: "s",
    status: "completed",
    durationMs: 7,
    structured: { n: 2 },
  };
  const start = { n: 1 };

  function planned(run: () => Promise<CompleteRunOutput>): PlannedWorkflowRun {
    const steps = readSteps([mark, { name: "never", run: mark.run }]);
    const trace = new StepTrace();
    trace.start("mark").end("completed");
    // Of an execution it takes no more than these.
    const execution = { runId: "r", run } as unknown as RunExecution<StateRecord>;
    return { execution, plan: { steps, retryPolicy: undefined, start, message: undefined, trace } };
  }

  const steps = [{ name: "mark", status: "completed", durationMs: expect.any(Number) }];
  const result = { runId: "r", status: "completed", state: { n: 2 }, steps, usage, durationMs: 7 };

  it.each<[Partial<CompleteRunOutput>, object]>([
    [{}, result],
    [{ stored: false }, { ...result, stored: false }],
    [{ structured: null }, { ...result, state: start }],
  ])("returns the result of an output: %j", async (part, expected) => {
    const run = planned(() => Promise.resolve({ ...output, ...part }));

    expect(await toWorkflowResult(run)).toStrictEqual(expected);
  });

  it("throws the failure of a run with its result, and any other error as it is", async () => {
    const cause = new Error("deep");
    const failed: CompleteRunOutput = { ...output, status: "error", stored: false };
    const error = new RunError("timeout", "Too late.", { fields: { step: "mark" }, cause, output: failed });
    const thrown: unknown = await toWorkflowResult(planned(() => Promise.reject(error))).catch((each: unknown) => each);

    expect(thrown).toBeInstanceOf(WorkflowError);
    expect(thrown).toMatchObject({ code: "timeout", message: "Too late.", fields: { step: "mark" }, cause });
    const { result: of, output: whole } = thrown as WorkflowError;
    expect([of, whole]).toStrictEqual([{ ...result, status: "error", stored: false }, failed]);
    const other = new TypeError("x");
    await expect(toWorkflowResult(planned(() => Promise.reject(other)))).rejects.toBe(other);
  });
});
