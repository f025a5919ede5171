import { describe, expect, it } from "vitest";
import * as z from "zod";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { resolveRetryConfig } from "../../base/retry/retry-config.ts";
import type { ModelMessage, VendorState } from "../../model/vendor-state.ts";
import type { StreamChunk } from "../run/stream-chunk.ts";
import { testRun } from "../run/test/test-run.ts";
import type { ToolContext } from "../run/tool.ts";
import { compileStructuredSchema } from "../../schema/compile-schema.ts";
import { ToolSet } from "../tool/tool-set.ts";
import type { LoopPlan, ModelCall } from "./loop-plan.ts";
import { answering, callOf, look, toolNamed } from "./test/agents.ts";
import { executeTools, toolLoop } from "./tool-loop.ts";

const usage = { promptTokens: 1, completionTokens: 2, totalTokens: 3 };
const state = (more: Partial<VendorState> = {}): VendorState => {
  return { providerId: "odd", modelId: "odd-1", items: [1], stored: true, ...more };
};
const user = (content: string): ModelMessage => ({ role: "user", content });
const { stored: _, ...unstored } = state();

/** Reads a generator to its end: its chunks, and what it returned or threw. */
async function readAll<Value>(generator: AsyncGenerator<StreamChunk, Value>) {
  const chunks: StreamChunk[] = [];
  try {
    for (let step = await generator.next(); ; step = await generator.next()) {
      if (step.done === true) return { chunks, value: step.value };
      chunks.push(step.value);
    }
  } catch (error) {
    return { chunks, error: error as TroupeError };
  }
}

/** The plan of a loop whose model gives these answers, and the calls that it gets. */
function planOf(answers: object[], more: Partial<LoopPlan> = {}) {
  const run = testRun();
  const calls: ModelCall[] = [];
  const left = [...answers];
  const call: LoopPlan["call"] = async function* (_plan, prepared) {
    calls.push({ ...prepared, messages: [...prepared.messages] });
    yield* await Promise.resolve([]);
    return { text: "", toolCalls: [], usage, finishReason: "stop", ...left.shift() };
  };
  const plan = {
    run,
    call,
    model: answering(),
    messages: [user("Hi")],
    prompt: { instructions: "", additions: "" },
    options: {},
    retry: resolveRetryConfig(undefined),
    tools: new ToolSet([look]),
    outputGuardrails: [],
    maxToolRoundtrips: 10,
    maxParallelTools: 32,
    ...more,
  } as unknown as LoopPlan;
  return { plan, run, calls };
}

const asking = (id: string, more: object = {}) => ({
  text: "",
  toolCalls: [callOf(id)],
  finishReason: "tool_calls",
  ...more,
});
const textChunk = (text: string) => ({ type: "text", text });

describe("executeTools", () => {
  it("records the answer and the results in the order of the calls, and gives them with the vendor's state", async () => {
    const slow = toolNamed("slow", async () => await new Promise((resolve) => setImmediate(() => resolve("late"))));
    const { plan, run } = planOf([], { tools: new ToolSet([slow, look]) });
    const toolCalls = [callOf("1", "Oslo", "slow"), callOf("2")];
    const { chunks, value } = await readAll(executeTools(plan, { text: "Hm.", toolCalls, vendorState: state() }, 3));

    const answer = { role: "assistant", content: "Hm.", toolCalls };
    const results = [
      { role: "tool", toolCallId: "1", content: "late" },
      { role: "tool", toolCallId: "2", content: "Oslo seen" },
    ];
    expect(value?.messages).toStrictEqual([{ ...answer, vendorState: state() }, ...results]);
    expect(run.messages).toStrictEqual([answer, ...results]);
    expect([...(run.vendorStates ?? [])]).toStrictEqual([[answer, state()]]);
    expect(value?.results.map(({ toolCallId }) => toolCallId)).toEqual(["1", "2"]);
    expect(run.toolCalls).toEqual(value?.results);
    expect(run.unfinishedStep).toBeUndefined();
    expect(chunks.map((chunk) => [chunk.type, "toolCallId" in chunk && chunk.toolCallId])).toEqual([
      ["tool_result", "2"],
      ["tool_call_end", "2"],
      ["tool_result", "1"],
      ["tool_call_end", "1"],
    ]);
  });

  it("has no content for an answer without text, and stores no state that is for the run alone", async () => {
    const { plan, run } = planOf([]);
    const { value } = await readAll(
      executeTools(plan, { text: "", toolCalls: [callOf("1")], vendorState: unstored }, 0),
    );

    expect(run.messages[0]).toStrictEqual({ role: "assistant", content: null, toolCalls: [callOf("1")] });
    expect(value?.messages[0]).toHaveProperty("vendorState", unstored);
    expect(run.vendorStates).toBeUndefined();
  });

  it("shows progress and the sources of child runs, and checks a result that is the answer", async () => {
    const dig = toolNamed(
      "dig",
      (at, context) => {
        (context as ToolContext).report({ at });
        run.passOnSources([{ id: "s1" }]);
        return "no JSON";
      },
      { endsRun: true },
    );
    const structured = compileStructuredSchema(z.object({ sum: z.number() })) as LoopPlan["structured"];
    const { plan, run } = planOf([], { tools: new ToolSet([dig]), structured });
    const { chunks, value } = await readAll(
      executeTools(plan, { text: "", toolCalls: [callOf("1", "Oslo", "dig")] }, 0),
    );

    expect(chunks).toMatchObject([
      { type: "tool_progress", toolCallId: "1", toolName: "dig", progress: { at: "Oslo" } },
      { type: "tool_result", toolCallId: "1" },
      { type: "tool_call_end", toolCallId: "1" },
      { type: "source", id: "s1" },
    ]);
    expect(value?.results[0]?.error).toMatch(/^The result of dig does not fit the schema of the answer:/);
  });

  it("keeps the results of earlier steps where they are", async () => {
    const { plan, run } = planOf([]);
    for (const id of ["1", "2"]) await readAll(executeTools(plan, { text: "", toolCalls: [callOf(id)] }, 0));

    expect(run.toolCalls.map(({ toolCallId }) => toolCallId)).toEqual(["1", "2"]);
  });

  it("leaves what is done of a step of a run that ends meanwhile", async () => {
    const { plan, run } = planOf([]);
    const end = toolNamed("end", () => {
      run.abort(new TroupeError("cancelled", "Over."));
      return "done";
    });
    const step = { text: "Hm.", toolCalls: [callOf("1"), callOf("2", "Oslo", "end")] };
    const { error } = await readAll(
      executeTools({ ...plan, tools: new ToolSet([look, end]), maxParallelTools: 1 }, step, 0),
    );

    expect(error?.code).toBe("cancelled");
    expect(run.unfinishedStep).toMatchObject({ ...step, results: [{ toolCallId: "1", result: "Oslo seen" }] });
    expect(run.messages).toEqual([]);
  });
});

describe("toolLoop", () => {
  it("calls the model with the results of each step, until it answers", async () => {
    const { plan, run, calls } = planOf([asking("1", { vendorState: unstored }), asking("2"), { text: "Rain." }]);
    const { value } = await readAll(toolLoop(plan));

    expect(value).toBe("stop");
    expect(calls.map(({ messages }) => messages.length)).toEqual([1, 3, 5]);
    expect(calls[2]?.messages[1]).toHaveProperty("vendorState", unstored);
    expect(run.messages.at(-1)).toEqual({ role: "assistant", content: "Rain." });
    expect(run.text).toBe("Rain.");
    expect(plan.messages).toEqual([user("Hi")]);
  });

  it.each<[most: number, answers: object[], reason: string, results: number]>([
    [0, [{ text: "A.", finishReason: "length" }], "length", 0],
    [0, [asking("1", { text: "A." })], "tool_calls", 0],
    [1, [asking("1"), { text: "A.", finishReason: "length" }], "tool_roundtrips", 1],
    [1, [asking("1"), asking("2", { text: "A." })], "tool_roundtrips", 1],
    [2, [asking("1"), { text: "A.", finishReason: "length" }], "length", 1],
  ])("makes at most so many round trips: %j", async (...[most, answers, reason, results]) => {
    const { plan, run, calls } = planOf(answers, { maxToolRoundtrips: most });
    const { value } = await readAll(toolLoop(plan));

    expect(value).toBe(reason);
    expect(run.toolCalls).toHaveLength(results);
    expect(calls.map(({ mayCallTools }) => mayCallTools)).toEqual(answers.map((_answer, index) => index < most));
  });

  it.each<[answer: object, messages: unknown[], kept: number]>([
    [{ text: "" }, [], 0],
    [{ text: "A.", vendorState: state() }, [{ role: "assistant", content: "A." }], 1],
    [{ text: "A.", vendorState: unstored }, [{ role: "assistant", content: "A." }], 0],
  ])("records an answer that has text, and its state where that is stored: %j", async (answer, messages, kept) => {
    const { plan, run } = planOf([answer]);
    await readAll(toolLoop(plan));

    expect(run.messages).toStrictEqual(messages);
    expect(run.vendorStates?.size ?? 0).toBe(kept);
  });

  it("ends with the result of a tool that ends the run", async () => {
    const end = toolNamed("end", () => "Done.", { endsRun: true });
    const { plan, run, calls } = planOf([{ toolCalls: [callOf("1", "Oslo", "end")] }], { tools: new ToolSet([end]) });

    expect((await readAll(toolLoop(plan))).value).toBe("stop");
    expect([run.text, calls.length]).toEqual(["Done.", 1]);
  });

  it("ends early with the text of the call before", async () => {
    const { plan, run } = planOf([asking("1", { text: "Looking." })], {
      prepareStep: ({ index }) => ({ stop: index === 1 }),
    });

    expect((await readAll(toolLoop(plan))).value).toBe("stop");
    expect(run.messages.at(-1)).toEqual({ role: "assistant", content: "Looking." });
  });
});

describe("toolLoop with a structured answer", () => {
  const structured = compileStructuredSchema(z.object({ sum: z.number() })) as LoopPlan["structured"];
  const wrong = { text: ' {"sum":"x"} ', vendorState: unstored };
  const request = expect.stringMatching(
    /^Your answer does not fit the schema that it must have:\nsum: .*\nAnswer again, with JSON that fits and nothing else\.$/,
  ) as unknown;

  it.each([0, 1, 2])(
    "sends an answer that does not fit back, here %i times, without tools and a record",
    async (repairs) => {
      const answers = [...Array.from({ length: repairs }, () => wrong), { text: '{"sum":1}', finishReason: "length" }];
      const { plan, run, calls } = planOf(answers, { structured });
      const { chunks, value } = await readAll(toolLoop(plan));

      expect([chunks, value]).toEqual([[textChunk('{"sum":1}')], "length"]);
      expect([run.structured, run.text]).toEqual([{ sum: 1 }, '{"sum":1}']);
      expect(run.messages).toEqual([{ role: "assistant", content: '{"sum":1}' }]);
      const sent = { role: "assistant", content: '{"sum":"x"}', vendorState: unstored };
      const repair = [sent, { role: "user", content: request }];
      expect(calls.at(-1)?.messages).toEqual([user("Hi"), ...Array.from({ length: repairs }, () => repair).flat()]);
      expect(calls.map(({ mayCallTools, index }) => [mayCallTools, index])).toEqual(
        answers.map((_answer, index) => [index === 0, index]),
      );
    },
  );

  it("fails after the second repair, with the issues", async () => {
    const { plan, run, calls } = planOf([wrong, { text: " " }, wrong, { text: '{"sum":1}' }], { structured });
    const { chunks, error } = await readAll(toolLoop(plan));

    expect(error?.name).toBe("SchemaError");
    expect(calls).toHaveLength(3);
    expect(calls[2]?.messages.at(-2)).toEqual({ role: "assistant", content: "(no answer)" });
    expect([chunks, run.messages, run.structured]).toEqual([[], [], null]);
  });

  it("fails without a repair where prepareStep stops it", async () => {
    const { plan, calls } = planOf([wrong], { structured, prepareStep: ({ index }) => ({ stop: index === 1 }) });

    expect((await readAll(toolLoop(plan))).error?.name).toBe("SchemaError");
    expect(calls).toHaveLength(1);
  });
});
