import { describe, expect, it } from "vitest";
import type { ModelChunk } from "../../model/model-chunk.ts";
import type { RunEvents } from "../run/run-events.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { Agent } from "./agent.ts";
import { callOf, look, StreamingModel } from "./test/agents.ts";

type Finish = Extract<ModelChunk, { type: "finish" }>;

const nested = (levels: number): object => {
  let value: object = { tokens: 1 };
  for (let level = 1; level < levels; level++) value = { at: value };
  return value;
};

/** An agent whose model asks for a tool, and then answers; both ends have these fields. */
function agentWith(finish: Partial<Record<keyof Finish, unknown>>) {
  const [call] = [callOf("1")];
  const model = new StreamingModel(async function* () {
    const isFirst = model.calls.length === 1;
    if (isFirst) {
      yield { type: "tool_call_start", toolCall: call };
      yield { type: "tool_call_delta", toolCallId: call.id, argumentsDelta: '{"at":"Oslo"}' };
      yield { type: "tool_call_end", toolCallId: call.id };
    } else yield { type: "text", text: "Done." };
    yield { type: "finish", finishReason: isFirst ? "tool_calls" : "stop", ...finish } as Finish;
  });
  const storage = new InMemoryStorage();
  const agent = new Agent({ name: "a", model, tools: [look], storage });
  const warnings: RunEvents["run.warning"][] = [];
  agent.eventBus.on("run.warning", (warning) => void warnings.push(warning));
  return { agent, warnings };
}

const counts = { promptTokens: 3, completionTokens: 4, totalTokens: 7 };

describe.each(["run", "stream"] as const)("what a vendor reports beside its answer (%s)", (way) => {
  const start = async (agent: Agent) => {
    const opts = { sessionId: "s" };
    return way === "run" ? await agent.run("Hi", opts) : await agent.stream("Hi", opts).output;
  };

  it.each<[what: string, usage: object, kept: object]>([
    ["1e308 tokens", { ...counts, totalTokens: 1e308 }, { ...counts, totalTokens: 7 }],
    ["a fraction of a token", { ...counts, completionTokens: 4.5 }, { ...counts, completionTokens: 0 }],
    ["less than none", { ...counts, cachedTokens: -1 }, { ...counts, cachedTokens: 0 }],
    ["2^53 tokens", { ...counts, promptTokens: 2 ** 53 }, { ...counts, promptTokens: 0 }],
  ])("counts no usage of %s, warns once, and stores the turn [usage.unsound]", async (_what, usage, kept) => {
    const { agent, warnings } = agentWith({ usage });
    const output = await start(agent);
    const { turns } = await agent.sessions.readTurns("s");

    const twice = Object.fromEntries(Object.entries(kept).map(([name, count]) => [name, 2 * (count as number)]));
    expect(output).toMatchObject({ status: "completed", text: "Done.", usage: twice });
    expect(turns).toMatchObject([{ status: "completed", usage: twice }]);
    expect(warnings.map(({ code }) => code)).toEqual(["usage_unsound"]);
    expect(warnings[0]?.message).toMatch(/^The usage that streaming\/streaming-1 reported has a number that/);
  });

  it("never sums up to more tokens than a number holds exactly [usage.unsound]", async () => {
    const { agent } = agentWith({ usage: { ...counts, totalTokens: Number.MAX_SAFE_INTEGER } });

    expect((await start(agent)).usage.totalTokens).toBe(Number.MAX_SAFE_INTEGER);
  });

  it.each<[what: string, metrics: object]>([
    ["nests 5,000 levels deep", nested(5000)],
    ["nests 17 levels deep", nested(17)],
    ["holds a number without end", { seconds: Infinity }],
    ["holds half of a character", { note: "\ud83d" }],
    ["is longer than 16,384 characters", { note: "x".repeat(16_381) }],
    ["holds more than 2,048 values", { list: Array.from({ length: 2048 }, () => 0) }],
    ["is an array", [1]],
  ])("leaves a usage object that %s out whole, and says so [usage.unsound]", async (_what, providerMetrics) => {
    const { agent, warnings } = agentWith({ usage: { ...counts, providerMetrics } });
    const output = await start(agent);
    const { turns } = await agent.sessions.readTurns("s");

    expect(output.usage).toEqual({ promptTokens: 6, completionTokens: 8, totalTokens: 14 });
    expect(turns).toMatchObject([{ status: "completed", usage: output.usage }]);
    expect(turns[0]?.usage).not.toHaveProperty("providerMetrics");
    expect(warnings.map(({ code }) => code)).toEqual(["usage_unsound"]);
  });

  it.each<[what: string, metrics: object]>([
    ["nests 16 levels deep", nested(16)],
    ["has 16,384 characters", { note: "x".repeat(16_380) }],
  ])("keeps a usage object that %s as it is, without a warning [usage.provider-metrics]", async (_what, metrics) => {
    const { agent, warnings } = agentWith({ usage: { ...counts, providerMetrics: metrics } });

    expect((await start(agent)).usage.providerMetrics).toBe(metrics);
    expect(warnings).toEqual([]);
  });

  it.each<[what: string, finish: Partial<Record<keyof Finish, unknown>>, kept: object]>([
    ["an id that is an object", { responseId: nested(5000) }, { responseId: undefined }],
    ["an id of 1,025 characters", { responseId: "x".repeat(1025) }, { responseId: undefined }],
    ["an id of 1,024 characters", { responseId: "x".repeat(1024) }, { responseId: "x".repeat(1024) }],
    ["an id with half of a character", { responseId: "r\ud83d" }, { responseId: undefined }],
    [
      "a model of 1,025 characters",
      { answeredBy: { providerId: "p", modelId: "x".repeat(1025) } },
      { model: "streaming-1" },
    ],
    ["a model that is none", { answeredBy: nested(70) }, { model: "streaming-1" }],
    ["an unknown end", { finishReason: "\ud83d" }, { status: "completed" }],
  ])("stores the turn of an answer with %s [model-calls.odd-details]", async (_what, finish, kept) => {
    const { agent } = agentWith(finish);
    const chunks = [];
    const stream = agent.stream("Hi", { sessionId: "s" });
    if (way === "stream") for await (const chunk of stream) chunks.push(chunk);
    const output = way === "stream" ? await stream.output : await start(agent);

    expect(output).toMatchObject({ status: "completed", text: "Done." });
    expect({ ...output, responseId: output.responseId }).toMatchObject(kept);
    expect(JSON.stringify(chunks)).not.toContain("ud83d");
    expect((await agent.sessions.readTurns("s")).turns).toMatchObject([{ status: "completed" }]);
  });

  it("goes on without a vendor's state that nests too deep to be kept, and says so [model-calls.odd-details]", async () => {
    const vendorState = { providerId: "streaming", modelId: "streaming-1", items: nested(48), stored: true };
    const { agent, warnings } = agentWith({ vendorState });
    const output = await start(agent);

    expect(output.status).toBe("completed");
    expect(warnings.map(({ code }) => code)).toEqual(["state_left_out"]);
  });
});

describe.each(["run", "stream"] as const)("an answer without end (%s)", (way) => {
  const piece = "x".repeat(262_144);
  const call = { toolCallId: "1" };
  it.each<[what: string, start: ModelChunk[], next: ModelChunk]>([
    ["text", [], { type: "text", text: piece }],
    ["thinking", [], { type: "thinking", text: piece }],
    [
      "arguments",
      [{ type: "tool_call_start", toolCall: { id: "1", name: "look" } }],
      { type: "tool_call_delta", ...call, argumentsDelta: piece },
    ],
    ["sources", [], { type: "source", id: "1", title: piece }],
  ])(
    "of %s is ended with its request, and the usage so far is kept [model-calls.endless]",
    async (_what, begin, next) => {
      let hasLeft = 0;
      const model = new StreamingModel(async function* () {
        if (model.calls.length === 1) {
          yield { type: "tool_call_start", toolCall: { id: "0", name: "look" } };
          yield { type: "tool_call_delta", toolCallId: "0", argumentsDelta: '{"at":"Oslo"}' };
          yield { type: "finish", finishReason: "tool_calls", usage: counts };
          return;
        }
        try {
          yield* begin;
          for (;;) yield next;
        } finally {
          hasLeft += 1;
        }
      });
      const agent = new Agent({ name: "a", model, tools: [look] });
      const failure: unknown = await (way === "run" ? agent.run("Hi") : agent.stream("Hi").output).catch(
        (error: unknown) => error,
      );

      expect(failure).toMatchObject({ code: "model_failed", output: { status: "error", usage: counts } });
      expect((failure as Error).message).toBe(
        "The model's answer is longer than 16777216 characters. It was ended there.",
      );
      expect([hasLeft, model.calls.length]).toEqual([1, 2]);
    },
  );
});
