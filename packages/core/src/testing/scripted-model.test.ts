import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { TroupeError } from "../base/errors/troupe-error.ts";
import type { ChatMessage } from "../base/message/message.ts";
import type { ModelChunk } from "../model/model-chunk.ts";
import { vendorStateOf } from "../model/vendor-state.ts";
import { ScriptedModel } from "./scripted-model.ts";

const hello: ChatMessage[] = [{ role: "user", content: "Hello?" }];
const failsWith = (code: string) => expect.objectContaining({ code }) as TroupeError;

async function chunksOf(stream: AsyncIterable<ModelChunk>): Promise<ModelChunk[]> {
  const chunks: ModelChunk[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return chunks;
}

describe("ScriptedModel", () => {
  it("answers with its turns in order, whole or streamed", async () => {
    const model = new ScriptedModel("one", { text: "two" });

    expect((await model.generate(hello)).text).toBe("one");
    expect(await chunksOf(model.stream(hello))).toMatchObject([
      { type: "text", text: "two" },
      { type: "finish", finishReason: "stop", usage: { promptTokens: 10, completionTokens: 5, totalTokens: 15 } },
    ]);
    model.assertDone();
  });

  it("streams a string word by word, and an array piece by piece", async () => {
    const model = new ScriptedModel("a  b\nc", { text: ["a  b", "", "c"] });
    const textsOf = async () =>
      (await chunksOf(model.stream(hello))).flatMap((chunk) => ("text" in chunk ? chunk.text : []));

    expect(await textsOf()).toEqual(["a  ", "b\n", "c"]);
    expect(await textsOf()).toEqual(["a  b", "", "c"]);
  });

  it("answers with thinking, text and calls, and finishes with tool_calls", async () => {
    const answer = {
      thinking: "hm",
      text: "Let me see.",
      toolCalls: [{ name: "weather", arguments: { city: "Oslo" } }],
    };

    const response = await new ScriptedModel(answer).generate(hello);

    expect(response).toMatchObject({
      thinking: "hm",
      text: "Let me see.",
      toolCalls: [{ id: "1", name: "weather", arguments: { city: "Oslo" } }],
      finishReason: "tool_calls",
    });
  });

  it("streams malformed arguments unchanged", async () => {
    const model = new ScriptedModel({ toolCalls: [{ id: "x", name: "weather", arguments: '{"city":' }] });

    expect((await model.generate(hello)).malformedArguments).toEqual([{ toolCallId: "x", text: '{"city":' }]);
  });

  it("answers with JSON for structured", async () => {
    expect((await new ScriptedModel({ structured: { a: [1] } }).generate(hello)).text).toBe('{"a":[1]}');
  });

  it("makes an answer from the request", async () => {
    const model = new ScriptedModel(({ messages }) => `${messages.length} message`).respond(() => "more");

    expect((await model.generate(hello)).text).toBe("1 message");
    expect((await model.generate(hello)).text).toBe("more");
    expect((await model.generate(hello)).text).toBe("more");
  });

  it("fails for a call beyond its script, and assertDone throws for an unused answer", async () => {
    const model = new ScriptedModel("only one");

    expect(() => model.assertDone()).toThrowError(/1 unused answer/);
    await model.generate(hello);
    await expect(model.generate(hello)).rejects.toThrowError(/once more than its script/);
  });

  it("records each call as it was made", async () => {
    const model = new ScriptedModel("one");
    const messages = [...hello];
    await model.generate(messages, { temperature: 0.5 });
    messages.push({ role: "assistant", content: "later" });

    expect(model.calls).toEqual([
      { kind: "generate", messages: hello, options: { temperature: 0.5 }, end: "completed" },
    ]);
  });

  it("throws the error of the answer after its chunks", async () => {
    const error = new TroupeError("model_failed", "Overloaded.");
    const model = new ScriptedModel({ text: "Hel", error });
    const seen: ModelChunk[] = [];

    const reading = (async () => {
      for await (const chunk of model.stream(hello)) seen.push(chunk);
    })();

    await expect(reading).rejects.toBe(error);
    expect(seen).toEqual([{ type: "text", text: "Hel" }]);
    expect(model.calls[0]?.end).toBe("failed");
  });

  it("returns its vendor state with the response", async () => {
    const model = new ScriptedModel({ text: "a", vendorState: ["signature"], responseId: "r-1" });

    const { vendorState, responseId } = await model.generate(hello);

    expect(responseId).toBe("r-1");
    const state = vendorState && vendorStateOf({ role: "assistant", content: "a", vendorState }, model);
    expect(state?.items).toEqual(["signature"]);
  });

  it("records that its reader left early", async () => {
    const model = new ScriptedModel("one two three");
    for await (const chunk of model.stream(hello)) {
      expect(chunk.type).toBe("text");
      break;
    }

    expect(model.calls[0]?.end).toBe("abandoned");
  });
});

describe("the timing of ScriptedModel", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("waits before the first chunk and between chunks", async () => {
    const model = new ScriptedModel({ text: ["a", "b"], delayMs: 100, chunkDelayMs: 10 });
    const seen: [type: string, afterMs: number][] = [];
    const start = Date.now();
    const reading = (async () => {
      for await (const chunk of model.stream(hello)) seen.push([chunk.type, Date.now() - start]);
    })();

    await vi.runAllTimersAsync();
    await reading;

    expect(seen).toEqual([
      ["text", 100],
      ["text", 110],
      ["finish", 120],
    ]);
  });

  it.each([{ hang: true }, { delayMs: 60_000 }, { text: "a b", chunkDelayMs: 60_000 }])(
    "rejects as cancelled when its signal aborts during %o",
    async (scripted) => {
      const model = new ScriptedModel(scripted);
      const abort = new AbortController();
      const answer = model.generate(hello, { signal: abort.signal }).catch((error: unknown) => error);

      await vi.advanceTimersByTimeAsync(10);
      abort.abort();

      expect(await answer).toMatchObject({ code: "cancelled" });
      expect(model.calls[0]?.end).toBe("cancelled");
      expect(vi.getTimerCount()).toBe(0);
    },
  );

  it("rejects a call whose signal has aborted already", async () => {
    const answer = new ScriptedModel("a").generate(hello, { signal: AbortSignal.abort() });

    await expect(answer).rejects.toThrowError(failsWith("cancelled"));
  });
});
