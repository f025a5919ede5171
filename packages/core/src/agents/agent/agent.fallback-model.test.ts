import { describe, expect, it } from "vitest";
import { ModelError } from "../../base/errors/model-error.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { fallbackModel } from "../../model/fallback-model.ts";
import type { ModelProvider } from "../../model/model-provider.ts";
import { collectResponse } from "../../model/response-collector.ts";
import type { RunEvents } from "../run/run-events.ts";
import { readAll } from "../../testing/conformance/runnable-subject.ts";
import { scriptedUsage } from "../../testing/scripted-answer.ts";
import { Agent } from "./agent.ts";
import { answering, callOf, look, NamedModel } from "./test/agents.ts";

const down = (providerId = "one", status = 503) => ({ error: new ModelError({ providerId, status }) });
const agentOf = (model: ModelProvider, more = {}) => new Agent({ name: "a", model, retry: { maxRetries: 0 }, ...more });
const ways = ["run", "stream"] as const;

async function answer(agent: Agent, way: (typeof ways)[number], opts = {}) {
  return way === "run" ? await agent.run("Hi", opts) : await agent.stream("Hi", opts).output;
}

describe.each(ways)("fallbackModel, by %s", (way) => {
  it.each([
    ["a failure of the vendor", new ModelError({ providerId: "one", status: 503 })],
    ["a limit of the rate", new ModelError({ providerId: "one", status: 429, retryAfterMs: 60_000 })],
    ["a lost connection", new ModelError({ providerId: "one", networkCode: "ECONNRESET" })],
    ["a connection that cannot be made", new ModelError({ providerId: "one", networkCode: "ECONNREFUSED" })],
    ["an answer that does not begin in time", new ModelError({ providerId: "one", networkCode: "ETIMEDOUT" })],
    ["a refused request", new ModelError({ providerId: "one", status: 400 })],
    ["a refused key", new ModelError({ providerId: "one", status: 401, key: { value: "k", fromCaller: true } })],
    ["a model that is gone", new ModelError({ providerId: "one", status: 404 })],
    ["a missing key", new TroupeError("unauthorized", "one needs an API key.")],
    ["a part that the model does not take", new TroupeError("unsupported_media_type", "No images.")],
  ])("asks the next model after %s [fallback.next]", async (_, error) => {
    const [one, two] = [new NamedModel("one", { error }), new NamedModel("two", "Two.")];
    const output = await answer(agentOf(fallbackModel(one, two)), way);

    expect(output).toMatchObject({ text: "Two.", model: "two-1", modelProvider: "two", usage: scriptedUsage });
    expect([one.calls.length, two.calls.length]).toEqual([1, 1]);
  });

  it.each([
    ["a mistake of the program", new TypeError("x is undefined")],
    ["a wrong configuration", new TroupeError("invalid_config", "No such option.")],
    ["a cancelled call", new TroupeError("cancelled", "Stopped.")],
  ])("asks no other model after %s [fallback.next]", async (_, error) => {
    const [one, two] = [new NamedModel("one", { error }), new NamedModel("two", "Two.")];

    await expect(answer(agentOf(fallbackModel(one, two)), way)).rejects.toMatchObject({ output: { status: "error" } });
    expect(two.calls).toEqual([]);
  });

  it("begins with the first model in every call, also the second of a run [fallback.next]", async () => {
    const one = new NamedModel("one", down(), "One.");
    const two = new NamedModel("two", { toolCalls: [callOf("1")], vendorState: "of two" });
    const output = await answer(agentOf(fallbackModel(one, two), { tools: [look] }), way);

    expect(output).toMatchObject({ text: "One.", modelProvider: "one" });
    expect(output.usage.totalTokens).toBe(30);
  });

  it("tells which error is worth a retry when all models fail, else the last [fallback.all-fail]", async () => {
    const failing = (...statuses: number[]) =>
      statuses.map((status, index) => new NamedModel(`v${index}`, down(`v${index}`, status)));
    for (const [statuses, expected] of [
      [[429, 503, 401], { code: "model_failed", fields: { vendor: "v1", status: 503 } }],
      [[400, 404], { code: "model_failed", fields: { vendor: "v1", status: 404 } }],
    ] as const) {
      const [first, ...others] = failing(...statuses) as [NamedModel, NamedModel];

      await expect(answer(agentOf(fallbackModel(first, ...others)), way)).rejects.toMatchObject(expected);
    }
    const [one, two] = [new NamedModel("one", down(), "One."), new NamedModel("two", down("two", 401))];
    const retried = agentOf(fallbackModel(one, two), { retry: { maxRetries: 1, initialDelayMs: 0 } });
    expect(await answer(retried, way)).toMatchObject({ text: "One." });
  });

  it("counts what an answer was billed that held nothing and failed [fallback.usage]", async () => {
    const billed = { promptTokens: 7, completionTokens: 1, totalTokens: 8, cacheWriteTokens: 5 };
    const one = new NamedModel("one", { text: "", finishReason: "error", usage: billed });
    const two = new NamedModel("two", "Two.");
    const results: RunEvents["model.result"][] = [];
    const agent = agentOf(fallbackModel(one, two));
    agent.eventBus.on("model.result", (result) => void results.push(result));
    const { usage, text } = await answer(agent, way);

    expect(text).toBe("Two.");
    expect(usage).toEqual({ promptTokens: 17, completionTokens: 6, totalTokens: 23, cacheWriteTokens: 5 });
    expect(results.map((result) => result.usage)).toEqual([billed, scriptedUsage]);
  });

  it("counts in the error what the failed models were billed when no one answers [fallback.usage]", async () => {
    const billed = (promptTokens: number) => ({
      text: "",
      finishReason: "error" as const,
      usage: { promptTokens, completionTokens: 0, totalTokens: promptTokens },
    });
    const one = new NamedModel("one", billed(1), billed(10));
    const [two, three] = [new NamedModel("two", billed(2), billed(20)), new NamedModel("three", down(), down())];
    const model = fallbackModel(fallbackModel(one, two, three), new NamedModel("four", down(), down()));
    const results: RunEvents["model.result"][] = [];
    const agent = agentOf(model, { retry: { maxRetries: 1, initialDelayMs: 0 } });
    agent.eventBus.on("model.result", (result) => void results.push(result));
    const error: unknown = await answer(agent, way).catch((thrown: unknown) => thrown);

    expect(error).toMatchObject({ code: "model_failed", output: { usage: { promptTokens: 33, totalTokens: 33 } } });
    expect(results.map(({ usage }) => usage?.totalTokens)).toEqual([
      1,
      2,
      undefined,
      undefined,
      10,
      20,
      undefined,
      undefined,
    ]);
  });

  it("counts what models were billed before one whose call no other may follow, and one that breaks off [fallback.usage]", async () => {
    const billed = { text: "", finishReason: "error" as const };
    for (const ending of [new TypeError("x is undefined"), { text: "Hi ", error: new TypeError("x is undefined") }]) {
      const two = new NamedModel("two", ending instanceof Error ? { error: ending } : ending);
      const error: unknown = await answer(agentOf(fallbackModel(new NamedModel("one", billed), two)), way).catch(
        (thrown: unknown) => thrown,
      );

      expect(error).toMatchObject({ output: { usage: scriptedUsage } });
    }
  });

  it("gives each vendor the caller's key for itself alone, through models within models [fallback.keys]", async () => {
    const all = ["one", "two", "three", "four"].map((name) => new NamedModel(name).respond(() => down(name)));
    const [one, two, three, four] = all as [NamedModel, NamedModel, NamedModel, NamedModel];
    const model = fallbackModel(one, fallbackModel(two, three), four);
    const agent = agentOf(model);
    await expect(
      answer(agent, way, { apiKey: "generic", apiKeys: { three: "key-3", four: "key-4" } }),
    ).rejects.toMatchObject({ code: "model_failed" });
    await expect(answer(agent, way, { apiKeys: { two: "key-2" } })).rejects.toMatchObject({ code: "model_failed" });

    expect(all.map(({ keys }) => keys)).toEqual([
      ["generic", undefined],
      [undefined, "key-2"],
      ["key-3", undefined],
      ["key-4", undefined],
    ]);
    for (const { calls } of all) for (const { options } of calls) expect(options).not.toHaveProperty("apiKeys");
  });

  it("names the models that were called in events, each attempt with its end [fallback.events]", async () => {
    const [one, two] = [new NamedModel("one", down(), down()), new NamedModel("two", down("two"), "Two.")];
    const inner = fallbackModel(new NamedModel("zero", down("zero"), down("zero")), one);
    const agent = agentOf(fallbackModel(inner, two), { retry: { maxRetries: 1, initialDelayMs: 0 } });
    const [calls, results]: [RunEvents["model.call"][], RunEvents["model.result"][]] = [[], []];
    agent.eventBus.on("model.call", (call) => void calls.push(call));
    agent.eventBus.on("model.result", (result) => void results.push(result));
    const { runId, sessionId } = await answer(agent, way);

    const { callId } = calls[0] ?? {};
    const named = ["zero", "one", "two", "zero", "one", "two"].map((providerId, index) => {
      return { runId, sessionId, callId, providerId, modelId: `${providerId}-1`, attempt: index + 1 };
    });
    expect(calls).toEqual(named);
    expect(results).toMatchObject(named);
    expect(results.map(({ error, usage }) => error?.code ?? usage)).toEqual([
      ...Array.from({ length: 5 }, () => "model_failed"),
      scriptedUsage,
    ]);
  });

  it("passes the abort of a run to the model that is called, and asks no other [fallback.abort]", async () => {
    const two = new NamedModel("two", { hang: true });
    const three = new NamedModel("three", "Three.");
    const cancel = new AbortController();
    const running = answer(agentOf(fallbackModel(new NamedModel("one", down()), two, three)), way, {
      signal: cancel.signal,
    });
    await expect.poll(() => two.calls.length).toBe(1);
    cancel.abort();

    await expect(running).rejects.toMatchObject({ code: "cancelled" });
    await expect.poll(() => two.calls[0]?.end).toBe("cancelled");
    expect(three.calls).toEqual([]);
  });

  it("sends the state of a vendor back to that vendor alone [fallback.vendor-state]", async () => {
    const one = new NamedModel("one", { toolCalls: [callOf("1")], vendorState: "of one" }, down());
    const two = new NamedModel("two", "Two.");
    await answer(agentOf(fallbackModel(one, two), { tools: [look] }), way);

    const stateOf = ({ calls }: NamedModel) =>
      calls.at(-1)?.messages.flatMap(({ vendorState }) => vendorState?.providerId ?? []);
    expect([stateOf(one), stateOf(two)]).toEqual([["one"], ["one"]]);
  });
});

describe("fallbackModel", () => {
  it("fallbackModel also makes titles, with the keys of its vendors and events of its models [fallback.keys] [fallback.events]", async () => {
    const [one, two] = [new NamedModel("one", down("one", 400)), new NamedModel("two", "A title")];
    const agent = agentOf(new NamedModel("own", "Hi."), { titles: { model: fallbackModel(one, two) } });
    const called: string[] = [];
    agent.eventBus.on("model.call", ({ modelId }) => void called.push(modelId));
    await agent.run("Hi", { sessionId: "s", apiKeys: { one: "key-1", two: "key-2", own: "key-own" } });
    await agent.close();

    expect((await agent.sessions.readSession("s")).title).toBe("A title");
    expect([one.keys, two.keys]).toEqual([["key-1"], ["key-2"]]);
    expect(called).toEqual(["own-1", "one-1", "two-1"]);
  });

  it("does not ask another model once a chunk has come, and ends a stream that its reader leaves [fallback.first-chunk]", async () => {
    const one = new NamedModel("one", { text: ["Hi ", "you"], ...down() }, { text: ["a ", "b "], chunkDelayMs: 1 });
    const two = new NamedModel("two", "Two.");
    const agent = agentOf(fallbackModel(one, two));
    const stream = agent.stream("Hi");
    const chunks: string[] = [];
    const failing = async () => {
      for await (const text of stream.textStream) chunks.push(text);
    };

    await expect(failing()).rejects.toMatchObject({ code: "model_failed" });
    expect([chunks.join(""), two.calls]).toEqual(["Hi you", []]);

    for await (const _ of fallbackModel(one, two).stream([{ role: "user", content: "Hi" }])) break;
    await expect.poll(() => one.calls.at(-1)?.end).toBe("abandoned");
  });

  it("asks no model once its signal has aborted, before or after one that ignores it [fallback.abort]", async () => {
    const abort = new AbortController();
    let calls = 0;
    const deaf: ModelProvider = {
      providerId: "deaf",
      modelId: "deaf-1",
      generate: () => {
        calls += 1;
        abort.abort(new DOMException("The time is up.", "TimeoutError"));
        return Promise.reject(down("deaf").error);
      },
      async *stream() {},
    };
    const two = new NamedModel("two", "Two.");
    const messages = [{ role: "user", content: "Hi" }] as const;
    for (const code of ["model_failed", "timeout"]) {
      await expect(fallbackModel(deaf, two).generate(messages, { signal: abort.signal })).rejects.toMatchObject({
        code,
      });
      expect([calls, two.calls.length]).toEqual([1, 0]);
    }
  });

  it("shows the ids of its first model, and tells in a response which one answered [fallback.answered-by]", async () => {
    const model = fallbackModel(new NamedModel("one", down(), down()), new NamedModel("two", "Two.", "Two."));
    const messages = [{ role: "user", content: "Hi" }] as const;
    const whole = await model.generate(messages);
    const streamed = await collectResponse(model.stream(messages));

    expect([model.providerId, model.modelId]).toEqual(["one", "one-1"]);
    expect(whole).toEqual(streamed);
    expect(whole).toMatchObject({ text: "Two.", answeredBy: { providerId: "two", modelId: "two-1" } });
  });

  it("takes a stream without chunks for a failed call [fallback.next]", async () => {
    const silent: ModelProvider = {
      providerId: "silent",
      modelId: "silent-1",
      generate: async () => await Promise.reject(new ModelError({ providerId: "silent", status: 500 })),
      async *stream() {},
    };
    const agent = agentOf(fallbackModel(answering(undefined), silent, new NamedModel("two", "Two.")));

    expect((await agent.run("Hi")).text).toBe("Two.");
    const streamed = agentOf(fallbackModel(silent, new NamedModel("two", "Two.")));
    expect(await readAll(streamed.stream("Hi"))).toContainEqual({ type: "text", text: "Two." });
  });

  it("is refused with a single model, and with what is no model [fallback.refused]", () => {
    const one = new NamedModel("one");
    expect(() => fallbackModel(one)).toThrow(
      "fallbackModel must have two models or more, got 1. Use that model itself.",
    );
    for (const wrong of [undefined, "gpt", { providerId: "x" }, [one]] as never[]) {
      expect(() => fallbackModel(one, wrong)).toThrow(
        expect.objectContaining({
          code: "invalid_config",
          message: expect.stringContaining("model 2 of fallbackModel must be a model provider, like openai(modelId)"),
        }),
      );
    }
  });
});
