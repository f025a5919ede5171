import { describe, expect, it } from "vitest";
import type { TroupeError } from "../base/errors/troupe-error.ts";
import { collectResponse, ResponseCollector } from "./response-collector.ts";
import type { ModelChunk } from "./model-chunk.ts";

const finish: ModelChunk = { type: "finish", finishReason: "stop" };
const usage = { promptTokens: 3, completionTokens: 4, totalTokens: 7 };

function collect(...chunks: ModelChunk[]) {
  const collector = new ResponseCollector();
  for (const chunk of chunks) collector.add(chunk);
  return collector.finish();
}

const start = (id: string, name = "weather"): ModelChunk => ({ type: "tool_call_start", toolCall: { id, name } });
const delta = (toolCallId: string, argumentsDelta: string): ModelChunk => ({
  type: "tool_call_delta",
  toolCallId,
  argumentsDelta,
});
const end = (toolCallId: string): ModelChunk => ({ type: "tool_call_end", toolCallId });

describe("ResponseCollector", () => {
  it("joins text and thinking, each in its order [chunk.text] [chunk.thinking]", () => {
    const response = collect(
      { type: "thinking", text: "hm" },
      { type: "text", text: "Hel" },
      { type: "thinking", text: "m" },
      { type: "text", text: "lo" },
      { type: "finish", finishReason: "length", usage },
    );

    expect(response).toEqual({ text: "Hello", thinking: "hmm", toolCalls: [], usage, finishReason: "length" });
  });

  it("has no thinking when none came, and zero usage when none was reported", () => {
    expect(collect(finish)).toEqual({
      text: "",
      toolCalls: [],
      usage: { promptTokens: 0, completionTokens: 0, totalTokens: 0 },
      finishReason: "stop",
    });
  });

  it("keeps interleaved calls apart, in the order they were named [chunk.tool-call-start] [chunk.tool-call-delta]", () => {
    const { toolCalls } = collect(
      start("b", "first"),
      start("a", "second"),
      delta("a", '{"x"'),
      delta("b", '{"y":'),
      delta("a", ":1}"),
      delta("b", "2}"),
      end("a"),
      end("b"),
      finish,
    );

    expect(toolCalls).toEqual([
      { id: "b", name: "first", arguments: { y: 2 } },
      { id: "a", name: "second", arguments: { x: 1 } },
    ]);
  });

  it("reads a call without arguments as a call with an empty object", () => {
    expect(collect(start("1"), end("1"), finish).toolCalls).toEqual([{ id: "1", name: "weather", arguments: {} }]);
  });

  it.each(['{"city":"Os', "[1]", '"Oslo"', "null", "12"])("reports arguments that are no object: %s", (text) => {
    const response = collect(start("1"), delta("1", text), end("1"), finish);

    expect(response.toolCalls).toEqual([{ id: "1", name: "weather", arguments: {} }]);
    expect(response.malformedArguments).toEqual([{ toolCallId: "1", text }]);
  });

  it("counts a call whose id is used twice once, with its first arguments [chunk.tool-call-end]", () => {
    const response = collect(
      start("1"),
      delta("1", "{}"),
      end("1"),
      start("1", "other"),
      delta("1", '{"b":2}'),
      end("1"),
      finish,
    );

    expect(response.toolCalls).toEqual([{ id: "1", name: "weather", arguments: {} }]);
    expect(response.malformedArguments).toBeUndefined();
  });

  it("ignores arguments and ends of unknown calls", () => {
    expect(collect(delta("x", "{}"), end("x"), finish).toolCalls).toEqual([]);
  });

  it("keeps ids and names apart from inherited members", () => {
    const { toolCalls } = collect(start("__proto__", "constructor"), delta("__proto__", '{"__proto__":1}'), finish);

    expect(toolCalls).toHaveLength(1);
    expect(toolCalls[0]).toMatchObject({ id: "__proto__", name: "constructor" });
    expect(Object.prototype).not.toHaveProperty("polluted");
  });

  it("rejects an answer without an end as truncated", () => {
    expect(() => collect({ type: "text", text: "Hel" })).toThrowError(
      expect.objectContaining({ code: "model_failed" }) as TroupeError,
    );
  });

  it("takes over response id, model and vendor state from the finish chunk [chunk.finish]", () => {
    const vendorState = { providerId: "p", modelId: "m", items: [1] };
    const details = { responseId: "r", model: "m-1", vendorState };

    expect(collect({ ...finish, ...details })).toMatchObject(details);
  });
});

describe("collectResponse", () => {
  it("drains a stream", async () => {
    async function* chunks(): AsyncGenerator<ModelChunk> {
      yield { type: "text", text: "Hi" };
      yield finish;
    }

    expect((await collectResponse(chunks())).text).toBe("Hi");
  });
});
