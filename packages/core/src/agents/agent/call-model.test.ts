import { describe, expect, it, vi } from "vitest";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import type { Guardrail } from "../guardrail/guardrail.ts";
import { CallIds } from "../../sessions/history/call-ids.ts";
import type { ModelAttemptEnd } from "../../model/model-attempt.ts";
import type { ModelChunk } from "../../model/model-chunk.ts";
import type { ModelCallOptions } from "../../model/model-config.ts";
import type { ModelProvider } from "../../model/model-provider.ts";
import type { ModelResponse } from "../../model/model-response.ts";
import { resolveRetryConfig } from "../../base/retry/retry-config.ts";
import type { StreamChunk } from "../run/stream-chunk.ts";
import { PartialAnswers } from "../run/stream-views.ts";
import { testRun } from "../run/test/test-run.ts";
import { callByGenerate, callByStream, callModel, recordCall } from "./call-model.ts";
import { ToolSet } from "../tool/tool-set.ts";
import type { LoopPlan, ModelCaller, PreparedCall } from "./loop-plan.ts";
import { callOf, StreamingModel } from "./test/agents.ts";

const usage = { promptTokens: 1, completionTokens: 2, totalTokens: 3 };
const text = (of: string) => ({ type: "text", text: of }) as const;
const finish = { type: "finish", finishReason: "stop", usage, responseId: "r1" } as ModelChunk;
const state = { providerId: "streaming", modelId: "streaming-1", items: [1], stored: true } as const;

const streamOf = (...chunks: ModelChunk[]) =>
  async function* () {
    yield* await Promise.resolve(chunks);
  };

type Scene = { plan?: Partial<LoopPlan>; prepared?: Partial<PreparedCall>; taken?: string[] };

/** Makes a call of the model, and reads it to its end, or so many chunks of it. */
async function called(call: ModelCaller, model: ModelProvider, { plan, prepared, taken = [] }: Scene = {}) {
  const run = testRun();
  run.thinking = "Before. ";
  run.text = "Old.";
  const ends: [attempt: number, end: ModelAttemptEnd][] = [];
  vi.spyOn(run.modelCalls, "begin").mockReturnValue((attempt) => (end) => void ends.push([attempt, end]));
  const retry = resolveRetryConfig({ maxRetries: 1, initialDelayMs: 1 });
  const whole = { run, call, retry, structured: undefined, outputGuardrails: [], ...plan } as unknown as LoopPlan;
  const options = { signal: run.signal };
  const tools = new ToolSet([]);
  const step = {
    model,
    index: 0,
    tools,
    messages: [],
    options,
    mayCallTools: true,
    ...prepared,
  } as unknown as PreparedCall;
  const callIds = new CallIds();
  for (const id of taken) callIds.take(id);
  const chunks: StreamChunk[] = [];
  const generator = callModel(whole, step, callIds);
  const read = async () => {
    for (let each = await generator.next(); ; each = await generator.next()) {
      if (each.done === true) return each.value;
      chunks.push(each.value);
    }
  };
  const outcome: unknown = await read().catch((error: unknown) => error);
  return { run, ends, chunks, outcome };
}

describe.each([
  ["callByGenerate", callByGenerate],
  ["callByStream", callByStream],
])("a model call by %s", (_, call) => {
  const isStream = call === callByStream;

  it("records its answer in the run, and gives it out", async () => {
    const answer = [
      { type: "thinking", text: "Hm." } as const,
      text("It "),
      text("rains."),
      { type: "source", id: "s" } as const,
    ];
    const { run, chunks, outcome, ends } = await called(call, new StreamingModel(streamOf(...answer, finish)));

    expect(chunks).toEqual(isStream ? answer : []);
    expect(outcome).toMatchObject({
      text: "It rains.",
      thinking: "Hm.",
      finishReason: "stop",
      usage,
      responseId: "r1",
    });
    expect([run.text, run.thinking, run.responseId, run.sources]).toEqual([
      "It rains.",
      "Before. Hm.",
      "r1",
      [{ id: "s" }],
    ]);
    expect(run.meter.total).toEqual(usage);
    expect(run.model).toBeInstanceOf(StreamingModel);
    expect(run.toOutput("completed").timeToFirstTokenMs).toBeDefined();
    expect(ends).toEqual([[1, { usage, responseId: "r1" }]]);
  });

  it("has calls with ids that are new in the conversation", async () => {
    const { id, name } = callOf("1");
    const chunks = [
      { type: "tool_call_start", toolCall: { id, name } },
      { type: "tool_call_end", toolCallId: id },
    ] as ModelChunk[];
    const { outcome, run } = await called(call, new StreamingModel(streamOf(...chunks, finish)), { taken: ["1"] });

    expect(outcome).toMatchObject({ text: "", toolCalls: [{ id: "1_2", name: "look" }] });
    expect(run.text).toBe("");
  });

  it("is repeated after a failure that may pass, each attempt with its end", async () => {
    const failure = Object.assign(new Error("busy"), { status: 503 });
    const model = new StreamingModel(async function* () {
      if (model.calls.length === 1) throw failure;
      yield* await Promise.resolve([text("Hi."), finish]);
    });
    const { outcome, ends, run } = await called(call, model);

    expect(outcome).toMatchObject({ text: "Hi." });
    expect(ends).toEqual([
      [1, { error: failure }],
      [2, { usage, responseId: "r1" }],
    ]);
    expect(run.meter.total).toEqual(usage);
  });

  it("ends with an error that names the model, and one end", async () => {
    const model = new StreamingModel(async function* () {
      yield text("H");
      throw await Promise.resolve(Object.assign(new Error("no"), { status: 400 }));
    });
    const { outcome, ends, run } = await called(call, model);

    expect((outcome as Error).message).toMatch(/^The model streaming\/streaming-1 failed/);
    expect(ends).toEqual([[1, { error: expect.objectContaining({ message: "no" }) }]]);
    expect(run.meter.total.totalTokens).toBe(0);
  });

  it("reports the calls that a model makes of others, and usage that is lost, in place of its own", async () => {
    const model = Object.assign(new StreamingModel(streamOf(text("Hi."), finish)), { providerIds: ["a", "b"] });
    const { run, ends } = await called(call, model);
    const [options] = model.calls as [ModelCallOptions];
    options.onLostUsage?.(usage);

    expect(options).toHaveProperty("onModelCall");
    expect(run.meter.total.totalTokens).toBe(6);
    expect(ends).toEqual([]);
  });

  it.each<[guardrail: Guardrail["check"], text: string, keeps: boolean]>([
    [() => ({ pass: true }), "It rains.", true],
    [() => ({ pass: true, replace: "Sun." }), "Sun.", false],
  ])("goes through the guardrails, and keeps the vendor's state of its own text alone", async (check, shown, keeps) => {
    const answer = [text("It "), text("rains."), { ...finish, vendorState: state } as ModelChunk];
    const plan = { outputGuardrails: [{ name: "g", check }] };
    const { run, chunks, outcome } = await called(call, new StreamingModel(streamOf(...answer)), { plan });

    expect(chunks).toEqual([text(shown)]);
    expect(run.text).toBe(shown);
    expect((outcome as ModelResponse).text).toBe(shown);
    expect((outcome as ModelResponse).vendorState?.stored).toBe(keeps ? true : undefined);
  });

  it("shows no text of a structured answer", async () => {
    const plan = { structured: {} as LoopPlan["structured"] };
    const { run, chunks, outcome } = await called(call, new StreamingModel(streamOf(text("{}"), finish)), { plan });

    expect([chunks, run.text, (outcome as ModelResponse).text]).toEqual([[], "", "{}"]);
  });
});

describe("a structured answer for a reader of its values", () => {
  it.each<[guardrails: Guardrail[], isRead: boolean]>([
    [[], true],
    [[{ name: "g", check: () => ({ pass: true }) }], false],
  ])("is read as it comes, unless guardrails have to check it first: %#", async (outputGuardrails, isRead) => {
    const partial = new PartialAnswers();
    const startAnswer = vi.spyOn(partial, "startAnswer");
    const push = vi.spyOn(partial, "push").mockReturnValue(undefined);
    const run = testRun();
    run.partialAnswers = partial;
    const plan = { run, structured: {} as LoopPlan["structured"], outputGuardrails };
    await called(callByStream, new StreamingModel(streamOf(text("{"), text("}"), finish)), { plan });

    expect(startAnswer).toHaveBeenCalledTimes(isRead ? 1 : 0);
    expect(push.mock.calls).toEqual(isRead ? [["{"], ["}"]] : []);
  });
});

describe("a stream", () => {
  it("gives the half of a character that is left at its end", async () => {
    const model = new StreamingModel(streamOf(text("a\ud83d"), finish));
    const { chunks, outcome, run } = await called(callByStream, model);

    expect(chunks).toEqual([text("a"), text("\ufffd")]);
    expect([run.text, (outcome as ModelResponse).text]).toEqual(["a\ufffd", "a\ufffd"]);
    const plan = { structured: {} as LoopPlan["structured"] };
    expect((await called(callByStream, model, { plan })).outcome).toMatchObject({ text: "a\ufffd" });
  });

  it("is left once it has ended", async () => {
    const left = vi.fn<() => Promise<IteratorResult<ModelChunk>>>(
      async () => await Promise.resolve({ done: true, value: undefined }),
    );
    const given = [text("a"), finish];
    const next = async () => {
      const value = given.shift();
      return await Promise.resolve(
        value === undefined ? { done: true as const, value } : { done: false as const, value },
      );
    };
    const model = new StreamingModel(() => ({ [Symbol.asyncIterator]: () => ({ next, return: left }) }));
    await called(callByStream, model);

    expect(left).toHaveBeenCalledOnce();
  });

  it("ends with the run where nothing of it is shown, however long it goes on", async () => {
    const run = testRun();
    let sent = 0;
    const model = new StreamingModel(async function* () {
      for (;;) {
        sent += 1;
        if (sent === 3) run.abort(new TroupeError("cancelled", "Over."));
        yield await Promise.resolve(text("x"));
      }
    });
    const plan = { run, structured: {} as LoopPlan["structured"] };
    const { outcome } = await called(callByStream, model, { plan, prepared: { options: { signal: run.signal } } });

    expect(outcome).toMatchObject({ code: "cancelled" });
    expect(sent).toBe(3);
  });
});

describe("recordCall", () => {
  const response = { usage } as unknown as ModelResponse;
  const model = new StreamingModel(streamOf());

  it("keeps the id of the answer before where there is none, and names the model that answered", () => {
    const run = testRun();
    run.responseId = "r0";
    const answered = { ...response, answeredBy: { providerId: "v", modelId: "m" } };
    recordCall(run, { model } as unknown as PreparedCall, { response: answered, thinking: "Hm." });

    expect([run.responseId, run.model, run.thinking]).toEqual(["r0", { providerId: "v", modelId: "m" }, "Hm."]);
  });

  it("records nothing of an answer that comes when the run is over", () => {
    const run = testRun();
    run.abort(new TroupeError("cancelled", "Over."));

    const late = { response: { ...response, responseId: "r1" }, thinking: "Hm." };
    expect(() => recordCall(run, { model } as unknown as PreparedCall, late)).toThrow("Over.");
    expect([run.responseId, run.thinking]).toEqual([undefined, ""]);
  });
});
