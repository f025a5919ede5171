import { describe, expect, it } from "vitest";
import { toPublicError } from "../errors/public-error.ts";
import type { StreamChunk } from "../run/stream-chunk.ts";
import { assertVendorWouldAccept } from "../history/test/assert-vendor-would-accept.ts";
import { assertCallGrammar } from "../testing/conformance/model-subject.ts";
import { readAll } from "../testing/conformance/runnable-subject.ts";
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

describe("a model that streams badly", () => {
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
