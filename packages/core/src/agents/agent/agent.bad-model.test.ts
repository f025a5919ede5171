import { describe, expect, it } from "vitest";
import { toPublicError } from "../../base/errors/public-error.ts";
import type { StreamChunk } from "../run/stream-chunk.ts";
import { assertVendorWouldAccept } from "../../sessions/history/test/assert-vendor-would-accept.ts";
import { assertCallGrammar } from "../../testing/conformance/model-subject.ts";
import { readAll } from "../../testing/conformance/runnable-subject.ts";
import type { Agent } from "./agent.ts";
import { Agent as PlainAgent } from "./agent.ts";
import { answering, callOf, look, scripted, StreamingModel, toolNamed } from "./test/agents.ts";

const finish: StreamChunk = { type: "finish", finishReason: "stop" };

describe.each(["run", "stream"] as const)("a model that misbehaves (%s)", (way) => {
  const start = async (agent: Agent) => (way === "run" ? await agent.run("Hi") : await agent.stream("Hi").output);
  const streaming = (...chunks: unknown[]) => {
    async function* streamAnswer(): AsyncGenerator<StreamChunk> {
      yield* chunks as StreamChunk[];
    }
    return new PlainAgent({ name: "a", model: new StreamingModel(streamAnswer) });
  };

  it("has one call for each id: the first", async () => {
    const toolCalls = [callOf("1", "Oslo"), callOf("1", "Rome"), callOf("2", "Bonn")];
    const { agent, model } = scripted([{ toolCalls }, "Done."], { tools: [look] });

    const output = await start(agent);

    expect(output.toolCalls.map(({ toolCallId, result }) => [toolCallId, result])).toEqual([
      ["1", "Oslo seen"],
      ["2", "Bonn seen"],
    ]);
    assertVendorWouldAccept(model.calls[1]?.messages ?? []);
  });

  it("may reuse an id in a later round trip or run: every call still has a unique id", async () => {
    const again = { toolCalls: [callOf("1"), callOf("2")] };
    const { agent, model } = scripted([again, again, "Done.", again, again, "Done."], {
      tools: [look],
      sessionId: "s",
    });
    const first = await start(agent);
    const second = await start(agent);

    for (const { messages } of model.calls) assertVendorWouldAccept(messages);
    for (const { toolCalls } of [first, second]) {
      expect(toolCalls).toHaveLength(4);
      expect(new Set(toolCalls.map(({ toolCallId }) => toolCallId)).size).toBe(4);
    }
  });

  it("gets an error when its arguments are truncated, no object, or do not fit", async () => {
    const call = (id: string, text: string) => ({ id, name: "look", arguments: text });
    const toolCalls = [call("1", '{"at":"Os'), call("2", "[1]"), call("3", '{"at":5}'), call("4", '{"at":"Oslo"}')];
    const { agent, model } = scripted([{ toolCalls, finishReason: "length" }, "Done."], { tools: [look] });

    const output = await start(agent);

    expect(output.toolCalls.map(({ error }) => error === undefined)).toEqual([false, false, false, true]);
    for (const { result } of output.toolCalls.slice(0, 3)) expect(result).toContain("arguments of look");
    assertVendorWouldAccept(model.calls[1]?.messages ?? []);
  });

  it("is not read as a call without arguments, also with an id that it used before", async () => {
    let executed = 0;
    const tool = toolNamed("look", () => `seen ${(executed += 1)}`, { parameters: { type: "object" } });
    const asks = (text: string) => ({ toolCalls: [{ id: "1", name: "look", arguments: text }] });
    const { agent } = scripted([asks("{}"), asks('{"at":"Os'), "Done."], { tools: [tool] });
    const { toolCalls } = await start(agent);

    expect(executed).toBe(1);
    expect(toolCalls.map(({ error }) => error === undefined)).toEqual([true, false]);
  });

  it("gets an error for an unknown tool, and nothing is executed", async () => {
    for (const name of ["lok", "constructor", "__proto__", ""]) {
      const { agent, model } = scripted([{ toolCalls: [callOf("1", "Oslo", name)] }, "Done."], {
        tools: [toolNamed("look", () => expect.unreachable())],
      });
      const output = await start(agent);

      expect(output.toolCalls[0]?.error).toMatch(/^Tool .* not found/);
      expect(model.calls).toHaveLength(2);
    }
  });

  it("fails a run whose answer is truncated", async () => {
    await expect(start(streaming({ type: "text", text: "Take " }))).rejects.toMatchObject({ code: "model_failed" });
    await expect(start(streaming())).rejects.toMatchObject({ code: "model_failed" });
  });

  it("may report impossible usage: the total stays sound", async () => {
    const usage = { promptTokens: Number.NaN, completionTokens: -5, totalTokens: "12", cachedTokens: Infinity };
    const output = await start(streaming({ type: "text", text: "Hi." }, { ...finish, usage }));

    expect(output.usage).toEqual({ promptTokens: 0, completionTokens: 0, totalTokens: 0, cachedTokens: 0 });
    expect(JSON.stringify(output.metrics)).not.toContain("null");
  });

  it("may nest arguments deeper than a turn can hold: the tool is not called, and the turn is stored", async () => {
    let deep: Record<string, unknown> = {};
    for (let level = 0; level < 60; level++) deep = { at: deep };
    const call = { id: "1", name: "look", arguments: deep };
    const { agent } = scripted([{ toolCalls: [call] }, "Done."], { tools: [look], sessionId: "s" });
    const { status, toolCalls } = await start(agent);

    expect(status).toBe("completed");
    expect(toolCalls).toMatchObject([{ toolName: "look", args: {}, error: expect.any(String) }]);
    expect((await agent.sessions.readTurns("s")).turns).toHaveLength(1);
  });

  it("may answer with nothing: the run completes, and so does the next one", async () => {
    const { agent, model } = scripted(["", { text: " " }, "Now."], { sessionId: "s" });

    const silent = await start(agent);
    await start(agent);
    await start(agent);

    expect(silent).toMatchObject({ text: "", status: "completed", messages: [{ role: "user", content: "Hi" }] });
    for (const { messages } of model.calls) assertVendorWouldAccept(messages);
  });

  it("may fail in any way: the run fails with a code, and nothing is quoted to clients", async () => {
    const secret = "prompt with sk-12345678";
    for (const thrown of [new Error(secret), secret, null, undefined, { message: secret }]) {
      const model = new StreamingModel(() => {
        throw thrown;
      });
      const agent = new PlainAgent({ name: "a", model, retry: { maxRetries: 0 } });
      const error: unknown = await start(agent).catch((failure: unknown) => failure);

      expect(error).toMatchObject({ code: "internal", output: { status: "error" } });
      expect((error as Error).message).toMatch(/^The model streaming\/streaming-1 failed: /);
      expect(toPublicError(error).message).not.toContain("sk-");
    }
    await expect(start(streaming(null, finish))).rejects.toMatchObject({ code: "internal" });
  });

  it("may go on after its end, which is ignored", async () => {
    const output = await start(streaming({ type: "text", text: "Hi." }, finish, { type: "other" }));

    expect(output.text).toBe("Hi.");
  });
});

describe.each(["run", "stream"] as const)("arguments that cannot be kept (%s)", (way) => {
  it.each([
    ["a number without end", '{"at":1e999}', "hold the number Infinity, which JSON cannot hold"],
    ["half of a character", '{"at":"\\ud83d"}', "hold an unpaired surrogate, which is no character"],
    ["as a key", '{"\\ud83d":1}', "hold an unpaired surrogate, which is no character"],
    ["10 MB", `{"at":"${"x".repeat(10_485_760)}"}`, "are longer than 1048576 characters"],
    ["50 levels", `${'{"a":'.repeat(50)}1${"}".repeat(50)}`, "nest deeper than 48 levels"],
  ])("call no tool, and the model is told why: %s [model-calls.unkept-arguments]", async (_what, text, problem) => {
    for (const args of [text, JSON.parse(text) as Record<string, unknown>]) {
      const toolCalls = [{ id: "1", name: "look", arguments: args as { at: string } }];
      const whole = { text: "", toolCalls, finishReason: "tool_calls" };
      const model = typeof args === "string" ? undefined : answering(whole, { ...whole, toolCalls: [], text: "Done." });
      if (model !== undefined && way === "stream") continue;
      const never = toolNamed("look", () => expect.unreachable());
      const { agent: scriptedAgent } = scripted([{ toolCalls }, "Done."], { tools: [never] });
      const agent = model === undefined ? scriptedAgent : new PlainAgent({ name: "a", model, tools: [never] });
      const output = way === "run" ? await agent.run("Hi") : await agent.stream("Hi").output;

      const error = `The arguments of look ${problem}: call it again with one JSON object as arguments.`;
      expect(output.toolCalls).toMatchObject([{ args: {}, result: error, error }]);
      expect(output.text).toBe("Done.");
    }
  });

  it("are not taken for none when their call has no id [model-calls.unkept-arguments]", async () => {
    const call = { id: "", name: "look", arguments: {} };
    const whole = { text: "", toolCalls: [call], finishReason: "tool_calls" };
    const model = answering(
      { ...whole, malformedArguments: [{ toolCallId: "", text: '{"at":"Os' }] },
      { ...whole, toolCalls: [], text: "Done." },
    );
    const never = toolNamed("look", () => expect.unreachable(), { parameters: { type: "object" } });
    const { toolCalls } = await new PlainAgent({ name: "a", model, tools: [never] }).run("Hi");

    expect(toolCalls).toMatchObject([{ error: expect.stringContaining("it ends too early") }]);
  });
});

describe("a model that streams badly", () => {
  it("has its characters whole, in whatever pieces they come [model-calls.split-characters]", async () => {
    const id = { toolCallId: "1" };
    const model = new StreamingModel(async function* () {
      yield { type: "thinking", text: "Hm \ud83d" };
      yield { type: "text", text: "Sun \ud83c" };
      yield { type: "thinking", text: "\ude00" };
      yield { type: "text", text: "\udf1e" };
      yield { type: "text", text: " and \ud83d" };
      yield { type: "text", text: " a" };
      yield { type: "text", text: " half\ud83d" };
      if (model.calls.length === 1) {
        yield { type: "tool_call_start", toolCall: { id: "1", name: "look" } };
        yield { type: "tool_call_delta", ...id, argumentsDelta: '{"at":"\ud83c' };
        yield { type: "tool_call_delta", ...id, argumentsDelta: '\udf1e"}' };
        yield { type: "tool_call_end", ...id };
      }
      yield { type: "finish", finishReason: "stop" };
    });
    const chunks = await readAll(new PlainAgent({ name: "a", model, tools: [look] }).stream("Hi"));
    const textOf = (type: string) =>
      chunks.flatMap((chunk) => (chunk.type === type && "text" in chunk ? chunk.text : []));
    const deltas = chunks.flatMap((chunk) => (chunk.type === "tool_call_delta" ? chunk.argumentsDelta : []));

    expect([...textOf("text"), ...textOf("thinking"), ...deltas].filter((text) => !text.isWellFormed())).toEqual([]);
    expect(textOf("text").join("")).toBe("Sun 🌞 and \ufffd a half\ufffdSun 🌞 and \ufffd a half\ufffd");
    expect(textOf("thinking").join("")).toBe("Hm 😀Hm 😀");
    expect(deltas.join("")).toBe('{"at":"🌞"}');
  });

  it("may begin several calls without an id, each of which is executed", async () => {
    const call = (at: string): StreamChunk[] => [
      { type: "tool_call_start", toolCall: { id: "", name: "look" } },
      { type: "tool_call_delta", toolCallId: "", argumentsDelta: `{"at":"${at}"}` },
      { type: "tool_call_end", toolCallId: "" },
    ];
    const model = new StreamingModel(async function* () {
      if (model.calls.length === 1) yield* [...call("Oslo"), ...call("Rome")];
      yield finish;
    });
    const { toolCalls } = await new PlainAgent({ name: "a", model, tools: [look] }).stream("Hi").output;

    expect(toolCalls.map(({ result }) => result)).toEqual(["Oslo seen", "Rome seen"]);
    expect(new Set(toolCalls.map(({ toolCallId }) => toolCallId)).size).toBe(2);
  });

  it("yields each call once, from its start to its end [chunk.tool-order]", async () => {
    const slips: StreamChunk[][] = [
      [
        { type: "tool_call_delta", toolCallId: "x", argumentsDelta: "{}" },
        { type: "tool_call_end", toolCallId: "y" },
        { type: "tool_call_start", toolCall: { id: "1", name: "look" } },
        { type: "tool_call_delta", toolCallId: "1", argumentsDelta: '{"at":"Oslo"}' },
        { type: "tool_call_end", toolCallId: "1" },
        { type: "tool_call_delta", toolCallId: "1", argumentsDelta: "more" },
        { type: "tool_call_start", toolCall: { id: "1", name: "look" } },
        { type: "tool_call_end", toolCallId: "1" },
        { type: "tool_call_start", toolCall: { id: "", name: "look" } },
        { type: "tool_call_delta", toolCallId: "", argumentsDelta: '{"at":"Rome"}' },
        finish,
      ],
      [{ type: "text", text: "Done." }, finish],
    ];
    async function* streamAnswer(): AsyncGenerator<StreamChunk> {
      yield* slips.shift() ?? [];
    }
    const stream = new PlainAgent({ name: "a", model: new StreamingModel(streamAnswer), tools: [look] }).stream("Hi");
    const calls = assertCallGrammar(await readAll(stream));

    const { toolCalls } = await stream.output;
    expect(toolCalls.map(({ result }) => result)).toEqual(["Oslo seen", "Rome seen"]);
    expect([...calls.keys()]).toEqual(toolCalls.map(({ toolCallId }) => toolCallId));
    expect([...calls.values()].map(({ text }) => text)).toEqual(['{"at":"Oslo"}', '{"at":"Rome"}']);
  });
});

describe("a model with malformed whole answers", () => {
  it.each([undefined, null, {}, { text: "Hi." }, "Hi."])("fails the run when it answers %o", async (response) => {
    const agent = new PlainAgent({ name: "a", model: answering(response) });

    await expect(agent.run("Hi")).rejects.toMatchObject({ code: "model_failed" });
  });

  it("has one call for each id", async () => {
    const asks = { finishReason: "tool_calls", toolCalls: [callOf("1"), callOf("1", "Rome")] };
    const model = answering(asks, { finishReason: "stop", text: "Done." });

    const output = await new PlainAgent({ name: "a", model, tools: [look] }).run("Hi");

    expect(output.toolCalls.map(({ result }) => result)).toEqual(["Oslo seen"]);
    assertVendorWouldAccept(output.messages ?? []);
  });

  it("may leave out optional fields, and ids", async () => {
    const asks = { finishReason: "tool_calls", toolCalls: [callOf(""), callOf("")] };
    const model = answering(asks, { finishReason: "stop", text: "Done." });

    const output = await new PlainAgent({ name: "a", model, tools: [look] }).run("Hi");

    expect(output).toMatchObject({ text: "Done.", usage: { totalTokens: 0 } });
    expect(new Set(output.toolCalls.map(({ toolCallId }) => toolCallId)).size).toBe(2);
    expect(output.messages?.[1]?.toolCalls).toHaveLength(2);
    expect(output.toolCalls.every(({ toolCallId }) => toolCallId !== "")).toBe(true);
  });
});
