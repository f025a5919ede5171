import { letRun } from "@troupe-internal/interleavings";
import { afterEach, describe, expect, it, vi } from "vitest";
import { Memory } from "../memory/memory.ts";
import { UserMemory } from "../memory/user-memory.ts";
import { ModelError } from "../../base/errors/model-error.ts";
import { addUsage, noUsage } from "../../base/message/token-usage.ts";
import type { RunEvents } from "../run/run-events.ts";
import { ModelCallEvents } from "../run/model-call-events.ts";
import { runErrorOf } from "../../testing/conformance/runnable-subject.ts";
import { ScriptedModel } from "../../testing/scripted-model.ts";
import { scriptedUsage } from "../../testing/scripted-answer.ts";
import { Agent } from "./agent.ts";
import { answering, callOf, look, scripted, StreamingModel } from "./test/agents.ts";

type Told = { name: "model.call" | "model.result" | "run.complete" | "run.error"; data: RunEvents["model.result"] };

/** The events of model calls on the agent's bus, and the ends of runs. */
function modelEventsOf({ eventBus }: Agent): Told[] {
  const told: Told[] = [];
  for (const name of ["model.call", "model.result", "run.complete", "run.error"] as const) {
    eventBus.on(name, (data) => void told.push({ name, data: data as RunEvents["model.result"] }));
  }
  return told;
}

const refused = new ModelError({ providerId: "p", status: 400, vendorCode: "bad", cause: new Error("sk-canary") });
const ids = { providerId: "scripted", modelId: "scripted-1" };

describe.each(["run", "stream"] as const)("the model calls of an agent (%s)", (way) => {
  afterEach(() => void vi.useRealTimers());
  const start = (agent: Agent, input = "Hi", opts = {}) =>
    way === "run" ? agent.run(input, opts) : agent.stream(input, opts).output;

  it("are told at their beginning and end, with usage, duration and response id [events.model-call] [events.model-result]", async () => {
    const { agent } = scripted([{ toolCalls: [callOf("1")], responseId: "resp-1" }, "Done."], { tools: [look] });
    const told = modelEventsOf(agent);
    const { runId, sessionId } = await start(agent);

    const of = { runId, sessionId };
    const [first, , second] = told.map(({ data }) => data.callId);
    const durationMs = expect.any(Number);
    expect(first).not.toBe(second);
    expect(told.slice(0, -1)).toEqual([
      { name: "model.call", data: { ...of, callId: first, ...ids, attempt: 1 } },
      {
        name: "model.result",
        data: { ...of, callId: first, ...ids, attempt: 1, usage: scriptedUsage, durationMs, responseId: "resp-1" },
      },
      { name: "model.call", data: { ...of, callId: second, ...ids, attempt: 1 } },
      { name: "model.result", data: { ...of, callId: second, ...ids, attempt: 1, usage: scriptedUsage, durationMs } },
    ]);
  });

  it("are told for each attempt, also for those that failed [events.model-result] [events.model-error]", async () => {
    const canary = "sk-canary said the vendor";
    const failing = { error: Object.assign(new Error(canary), { status: 503, code: "ECONNRESET" }) };
    const { agent } = scripted([failing, failing, "Hi."], { retry: { initialDelayMs: 1 } });
    const told = modelEventsOf(agent);
    await start(agent);

    const results = told.filter(({ name }) => name === "model.result").map(({ data }) => data);
    expect(results.map(({ attempt }) => attempt)).toEqual([1, 2, 3]);
    expect(new Set(told.slice(0, -1).map(({ data }) => data.callId)).size).toBe(1);
    expect(results[0]).toMatchObject({ error: { code: expect.any(String), message: expect.any(String) } });
    expect(Object.keys(results[0]?.error ?? {})).toEqual(["code", "message"]);
    expect(results[0]).not.toHaveProperty("usage");
    expect(JSON.stringify(told)).not.toContain("canary");
  });

  it("are told when an attempt begins and when it ends, each with its own duration [events.model-call] [events.model-result]", async () => {
    vi.useFakeTimers();
    const failing = { delayMs: 50, error: Object.assign(new Error("busy"), { status: 503, code: "ECONNRESET" }) };
    const { agent, model } = scripted([failing, { text: "Hi.", delayMs: 100 }], { retry: { initialDelayMs: 1000 } });
    const told = modelEventsOf(agent);
    const madeBefore: number[] = [];
    agent.eventBus.on("model.call", () => void madeBefore.push(model.calls.length));
    const ended = start(agent).then(() => undefined);
    await vi.advanceTimersByTimeAsync(10_000);
    await ended;

    expect(told.slice(0, -1).map(({ name, data }) => [name, data.attempt, data.durationMs])).toEqual([
      ["model.call", 1, undefined],
      ["model.result", 1, 50],
      ["model.call", 2, undefined],
      ["model.result", 2, 100],
    ]);
    expect(madeBefore).toEqual([0, 1]);
  });

  it("are told for repairs of a structured answer and for summaries, and add up to the usage [events.model-usage]", async () => {
    const memory = new Memory({ maxShortTermMessages: 2, enableLongTerm: true });
    const turns = ["no", { structured: { a: 1 } }, "A summary.", { structured: { a: 2 } }, "A summary."];
    const structuredOutput = { type: "object", required: ["a"] };
    const { agent, model } = scripted(turns, { memory, structuredOutput });
    model.respond(({ options }) => (options.responseFormat === undefined ? "A summary." : { structured: { a: 3 } }));
    const told = modelEventsOf(agent);
    const usages = [noUsage, noUsage, noUsage];
    for (const index of usages.keys()) usages[index] = (await start(agent, "Hi", { sessionId: "s" })).usage;

    const results = told.filter(({ name }) => name === "model.result");
    expect(results).toHaveLength(model.calls.length);
    expect(model.calls.some(({ options }) => options.responseFormat === undefined)).toBe(true);
    const sum = results.reduce((total, { data }) => addUsage(total, data.usage ?? noUsage), noUsage);
    expect(sum).toEqual(usages.reduce(addUsage, noUsage));
  });

  it.each<[what: string, error: Error, shown: { code: string; message: string }]>([
    [
      "any error",
      new Error("sk-canary said the vendor"),
      { code: "internal", message: "Something went wrong in this service." },
    ],
    ["a model's error", refused, { code: refused.code, message: refused.message }],
  ])(
    "are told with the code and the public message of %s, and nothing else of it [events.model-error]",
    async (_what, error, shown) => {
      const model = new StreamingModel(() => {
        throw error;
      });
      const agent = new Agent({ name: "a", model });
      const told = modelEventsOf(agent);
      await runErrorOf(start(agent));

      const result = told.find(({ name }) => name === "model.result");
      expect(result?.data.error).toEqual(shown);
      expect(JSON.stringify(result)).not.toContain("canary");
    },
  );

  it("are told to a handler of one of the two events too [events.model-call] [events.model-result]", async () => {
    for (const name of ["model.call", "model.result"] as const) {
      const { agent } = scripted(["Hi."]);
      const told: unknown[] = [];
      agent.eventBus.on(name, ({ attempt }) => void told.push(attempt));
      await start(agent);

      expect(told).toEqual([1]);
    }
  });

  it("are told of the extraction of facts, as calls of its own run [events.model-call] [events.model-usage]", async () => {
    const userMemory = new UserMemory({ model: new ScriptedModel({ structured: { facts: ["likes rain"] } }) });
    const { agent } = scripted(["Hi."], { userMemory });
    const told = modelEventsOf(agent);
    const { runId } = await start(agent, "I like rain.", { userId: "ada" });
    await userMemory.flush();

    const results = told.filter(({ name }) => name === "model.result").map(({ data }) => data);
    expect(results.map((data) => data.runId === runId)).toEqual([true, false]);
    expect(results[1]).toMatchObject({ parentRunId: runId, usage: scriptedUsage });
    expect(told.at(-1)).toMatchObject({
      name: "run.complete",
      data: { parentRunId: runId, output: { usage: scriptedUsage } },
    });
    const calls = told.flatMap(({ name, data }) => (name === "model.call" ? [[data.runId, data.parentRunId]] : []));
    expect(calls).toEqual([
      [runId, undefined],
      [results[1]?.runId, runId],
    ]);
  });

  it("are told to have ended, once and before the run has, when the run is cancelled [events.model-result]", async () => {
    const { agent } = scripted([{ hang: true }]);
    const told = modelEventsOf(agent);
    const abort = new AbortController();
    agent.eventBus.on("model.call", () => setImmediate(() => abort.abort()));
    await runErrorOf(start(agent, "Hi", { signal: abort.signal }));
    await letRun();

    expect(told.map(({ name }) => name)).toEqual(["model.call", "model.result", "run.error"]);
    expect(told[1]?.data).toMatchObject({ attempt: 1, error: { code: "cancelled" } });
  });

  it("count their usage as it is, whatever a handler does with what it is told", async () => {
    const { agent } = scripted(["Hi."]);
    agent.eventBus.on("model.result", ({ usage }) => void Object.assign(usage ?? {}, { totalTokens: 1e9 }));

    expect((await start(agent)).usage).toEqual(scriptedUsage);
  });

  it("make no ids and take no times when nothing listens [events.model-silent]", async () => {
    const begun = vi.spyOn(ModelCallEvents.prototype, "begin");
    const { agent } = scripted(["Hi."]);
    agent.eventBus.on("run.complete", () => undefined);
    await start(agent);

    expect(begun.mock.results).toEqual([{ type: "return", value: undefined }]);
    begun.mockRestore();
  });
});

describe("a model call of a provider that answers oddly", () => {
  it("ends with the error with which the run fails, and is not tried again because it is listened to", async () => {
    const model = answering({ text: "Hi" }, { text: "Hi" });
    const agent = new Agent({ name: "a", model });
    const told = modelEventsOf(agent);
    const error = await runErrorOf(agent.run("Hi"));

    expect(told.map(({ name }) => name)).toEqual(["model.call", "model.result", "run.error"]);
    expect(told[1]?.data.error).toEqual({ code: "model_failed", message: error.message });
  });

  it("counts as no tokens when a memory's model reports none", async () => {
    const noted: unknown[] = [];
    const model = answering({ text: '{"facts":[]}', finishReason: "stop", toolCalls: [] });
    const memory = new UserMemory();
    await memory.extractAndStore("ada", [{ role: "user", content: "Hi" }], model, {
      onUsage: (usage) => noted.push(usage),
    });

    expect(noted).toEqual([noUsage]);
  });
});
