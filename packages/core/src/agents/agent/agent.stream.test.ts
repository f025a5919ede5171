import { letRun } from "@troupe-internal/interleavings";
import { describe, expect, it } from "vitest";
import type { StreamChunk } from "../run/stream-chunk.ts";
import { assertCallGrammar, assertFinishesOnce, assertPlainChunks } from "../../testing/conformance/model-subject.ts";
import { readAll } from "../../testing/conformance/runnable-subject.ts";
import { until } from "../../testing/conformance/assert.ts";
import { readUntilEnd } from "../run/test/small-run.ts";
import { Agent } from "./agent.ts";
import { callOf, look, scripted, StreamingModel, toolNamed } from "./test/agents.ts";

describe("the stream of an agent", () => {
  it("yields thinking, text and calls as they come, and one finish for all round trips [agent.stream] [chunk.text] [chunk.thinking] [chunk.tool-call-start] [chunk.tool-call-delta] [chunk.tool-call-end] [chunk.tool-order] [chunk.finish]", async () => {
    const asks = { thinking: "hm", text: "I look.", toolCalls: [callOf("1")] };
    const { agent } = scripted([asks, "It rains."], { tools: [look] });

    const chunks = await readAll(agent.stream("Weather?"));

    expect(chunks).toEqual([
      { type: "thinking", text: "hm" },
      { type: "text", text: "I " },
      { type: "text", text: "look." },
      { type: "tool_call_start", toolCall: { id: "1", name: "look" } },
      { type: "tool_call_delta", toolCallId: "1", argumentsDelta: '{"at":"' },
      { type: "tool_call_delta", toolCallId: "1", argumentsDelta: 'Oslo"}' },
      expect.objectContaining({ type: "tool_result", toolCallId: "1" }),
      { type: "tool_call_end", toolCallId: "1" },
      { type: "text", text: "It " },
      { type: "text", text: "rains." },
      { type: "finish", finishReason: "stop", usage: { promptTokens: 20, completionTokens: 10, totalTokens: 30 } },
    ]);
    assertPlainChunks(chunks);
  });

  it("names a call by one id in all of its chunks, also when the model uses an id again [chunk.tool-call-start] [chunk.tool-call-delta] [chunk.tool-call-end]", async () => {
    const { agent } = scripted([{ toolCalls: [callOf("1")] }, { toolCalls: [callOf("1", "Rome")] }, "Done."], {
      tools: [look],
    });

    const calls = assertCallGrammar(await readAll(agent.stream("Weather?")));

    expect([...calls.values()].map(({ text }) => text)).toEqual(['{"at":"Oslo"}', '{"at":"Rome"}']);
  });

  it("finishes with the reason of the last answer, and says so when there were no round trips left [chunk.finish]", async () => {
    const reasonOf = async (...setUp: Parameters<typeof scripted>) =>
      (await readAll(scripted(...setUp).agent.stream("Weather?"))).at(-1);

    expect(await reasonOf([{ text: "Hi.", finishReason: "length" }])).toMatchObject({ finishReason: "length" });
    expect(await reasonOf([{ toolCalls: [callOf("1")] }, "Done."], { tools: [look] })).toMatchObject({
      finishReason: "stop",
    });
    const none = { tools: [look], maxToolRoundtrips: 1 };
    expect(await reasonOf([{ toolCalls: [callOf("1")] }, "Done."], none)).toMatchObject({
      finishReason: "tool_roundtrips",
    });
  });

  it("ends a call when it has been executed, in the order in which calls end [chunk.tool-order]", async () => {
    const first = Promise.withResolvers<string>();
    const slow = toolNamed("slow", async () => await first.promise);
    const toolCalls = [callOf("1", "Oslo", "slow"), callOf("2")];
    const { agent } = scripted([{ toolCalls }, "Done."], { tools: [slow, look] });
    const ends: string[] = [];
    const chunks: StreamChunk[] = [];
    for await (const chunk of agent.stream("Weather?")) {
      chunks.push(chunk);
      if (chunk.type !== "tool_call_end") continue;
      ends.push(chunk.toolCallId);
      first.resolve("late");
    }

    expect(ends).toEqual(["2", "1"]);
    const calls = assertCallGrammar(chunks);
    expect([...calls.values()].map(({ text }) => JSON.parse(text))).toEqual([{ at: "Oslo" }, { at: "Oslo" }]);
    assertFinishesOnce(chunks);
  });

  it("shows no calls that are not executed", async () => {
    const { agent } = scripted([{ text: "Hm.", toolCalls: [callOf("1")] }], { tools: [look], maxToolRoundtrips: 0 });

    const chunks = await readAll(agent.stream("Weather?"));

    expect(chunks.map(({ type }) => type)).toEqual(["text", "finish"]);
  });

  it("has no finish after an error, and an output until then", async () => {
    const { agent } = scripted([{ text: ["Take ", "an "], error: new Error("broken") }]);
    const stream = agent.stream("Weather?");

    const { chunks, error } = await readUntilEnd(stream);

    expect(chunks.map(({ type }) => type)).toEqual(["text", "text"]);
    expect(error).toMatchObject({ code: "internal", output: { text: "Take an ", status: "error" } });
    await expect(stream.output).rejects.toBe(error);
  });

  it("pulls the model's stream only as its reader reads", async () => {
    let made = 0;
    async function* streamAnswer(): AsyncGenerator<StreamChunk> {
      for (;;) yield { type: "text", text: `${++made} ` };
    }
    const stream = new Agent({ name: "a", model: new StreamingModel(streamAnswer) }).stream("Count.");
    const chunks = stream[Symbol.asyncIterator]();
    await letRun();
    expect(made).toBe(0);
    for (const expected of [1, 2, 3]) {
      await chunks.next();
      await letRun();
      expect(made).toBe(expected);
    }
    await chunks.return?.();
  });

  it("closes the model's stream when the reader leaves, and executes nothing after that", async () => {
    let executed = 0;
    let isClosed = false;
    async function* streamAnswer(): AsyncGenerator<StreamChunk> {
      try {
        yield { type: "tool_call_start", toolCall: { id: "1", name: "look" } };
        yield { type: "tool_call_delta", toolCallId: "1", argumentsDelta: '{"at":"Oslo"}' };
        yield { type: "tool_call_end", toolCallId: "1" };
        yield { type: "finish", finishReason: "tool_calls" };
      } finally {
        isClosed = true;
      }
    }
    const tool = toolNamed("look", () => `${(executed += 1)}`);
    const agent = new Agent({ name: "a", model: new StreamingModel(streamAnswer), tools: [tool] });
    for await (const chunk of agent.stream("Weather?")) if (chunk.type === "tool_call_delta") break;
    await until(() => isClosed);

    expect(executed).toBe(0);
  });

  it("yields no empty text", async () => {
    const { agent } = scripted([{ text: ["", "Hi", "", "."] }], {
      guardrails: { output: [{ name: "g", check: () => ({ pass: true }), incremental: true }] },
    });

    const chunks = await readAll(agent.stream("Hello"));

    expect(chunks.map((chunk) => "text" in chunk && chunk.text)).toEqual(["Hi", ".", false]);
  });

  it("throws for a wrong input or option when it is called, where a run rejects", async () => {
    const { agent } = scripted([]);
    for (const input of ["", " \n", [], [{ type: "text" }], null, { text: "Hi" }]) {
      expect(() => agent.stream(input as string)).toThrow(expect.objectContaining({ code: "invalid_request" }));
      await expect(agent.run(input as string)).rejects.toMatchObject({ code: "invalid_request" });
    }
    expect(() => agent.stream("Hi", { sessionId: "a b" })).toThrow("sessionId must be");
  });
});
