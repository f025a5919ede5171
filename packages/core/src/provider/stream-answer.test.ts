import { afterEach, describe, expect, it, vi } from "vitest";
import { TruncatedResponseError } from "../base/errors/vendor-error.ts";
import { WholeAnswer } from "./wire/stream-events.ts";
import type { EventBatch } from "./wire/stream-events.ts";
import type { ModelChunk } from "../model/model-chunk.ts";
import type { ModelResponse } from "../model/model-response.ts";
import { generateAnswer, streamAnswer } from "./stream-answer.ts";
import type { EventReader, StreamedCall } from "./stream-answer.ts";

type Event = string | Error;
type Batches = (EventBatch<Event> | Error)[];

const usage = { promptTokens: 1, completionTokens: 2, totalTokens: 3 };
const text = (words: string): ModelChunk => ({ type: "text", text: words });
const finish: ModelChunk = { type: "finish", finishReason: "stop", usage };

/** A vendor's events: each word is a chunk, `.` completes the answer, and an error is thrown where it is read. */
class WordReader implements EventReader<Event> {
  isComplete = false;
  isEnding = false;

  read(event: Event, chunks: ModelChunk[]): void {
    if (event instanceof Error) throw event;
    if (event === "ending") this.isEnding = true;
    else if (event === ".") this.isComplete = chunks.push(finish) > 0;
    else chunks.push(text(event));
  }

  end(chunks: ModelChunk[]): void {
    if (!this.isEnding) throw new TruncatedResponseError("stopped early");
    chunks.push(finish);
  }
}

/** A stream of these batches that records what is done with it; it hangs behind the last one if it is said to. */
function answering(batches: Batches, { signal, hangs = false }: { signal?: AbortSignal; hangs?: boolean } = {}) {
  const waiting = [...batches];
  const done: string[] = [];
  let leave = () => {};
  const events: AsyncIterableIterator<EventBatch<Event>, undefined> = {
    [Symbol.asyncIterator]: () => events,
    next: async () => {
      done.push("next");
      const batch = waiting.shift();
      if (batch instanceof Error) throw batch;
      if (batch === undefined && hangs) await new Promise<void>((resolve) => (leave = resolve));
      return batch === undefined ? { done: true, value: undefined } : { done: false, value: batch };
    },
    return: async () => {
      done.push("return");
      leave();
      return await Promise.resolve({ done: true, value: undefined });
    },
  };
  const fromWhole = (body: unknown) => body as ModelResponse;
  const open = async () => await Promise.resolve({ events, reader: new WordReader(), fromWhole });
  const stream = streamAnswer<Event>(async () => await Promise.resolve({ call: { providerId: "one", signal }, open }));
  return Object.assign(stream, { done });
}

async function endOf(stream: AsyncIterable<ModelChunk>): Promise<{ chunks: ModelChunk[]; error?: unknown }> {
  const chunks: ModelChunk[] = [];
  try {
    for await (const chunk of stream) chunks.push(chunk);
    return { chunks };
  } catch (error) {
    return { chunks, error };
  }
}

afterEach(() => void vi.useRealTimers());

describe("streamAnswer", () => {
  it("yields the chunks of all batches, reads nothing behind the end, and drains the rest", async () => {
    const stream = answering([["a", "b"], [], ["c", ".", "late"], ["later"]]);

    expect(await endOf(stream)).toEqual({ chunks: [text("a"), text("b"), text("c"), finish] });
    expect(stream.done).toEqual(["next", "next", "next", "next", "next", "return"]);
  });

  it("takes the end of the stream for that of the answer, where the reader may", async () => {
    expect(await endOf(answering([["a", "ending"]]))).toEqual({ chunks: [text("a"), finish] });
  });

  it("fails when the stream ends before the answer", async () => {
    const stream = answering([["a"]]);

    expect(await endOf(stream)).toMatchObject({
      chunks: [text("a")],
      error: { code: "model_failed", fields: { vendor: "one" } },
    });
    expect(stream.done.at(-1)).toBe("return");
  });

  it.each<[string, Batches, string[]]>([
    ["an event", [["a", "b", new Error("broken"), "c"], ["d"]], ["a", "b"]],
    ["a read", [["a"], new Error("broken")], ["a"]],
  ])("yields the chunks before %s that fails, then throws and ends the connection", async (_what, batches, words) => {
    const stream = answering(batches);
    const { chunks, error } = await endOf(stream);

    expect([chunks, error]).toEqual([words.map(text), expect.objectContaining({ code: expect.any(String) })]);
    expect(stream.done.filter((call) => call === "return")).toEqual(["return"]);
  });

  it("waits a second for more once the answer may be over, then ends it", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "clearTimeout"] });
    const stream = answering([["a", "ending"]], { hangs: true });
    const end = endOf(stream);
    await vi.advanceTimersByTimeAsync(500);
    expect(stream.done).toEqual(["next", "next"]);
    await vi.advanceTimersByTimeAsync(10_000);

    expect(await end).toEqual({ chunks: [text("a"), finish] });
    expect(vi.getTimerCount()).toBe(0);
  });

  it("keeps no timer while a chunk is read slowly", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "clearTimeout"] });
    const stream = answering([["ending"], ["a", "."]]);
    await stream.next();

    expect(vi.getTimerCount()).toBe(0);
    await stream.return();
    expect(stream.done).toEqual(["next", "next", "return"]);
  });

  it("ends the connection when its reader leaves", async () => {
    const stream = answering([["a", "b"], ["c"]]);
    for await (const _ of stream) break;

    expect(stream.done).toEqual(["next", "return"]);
  });

  it("opens nothing for a signal that has aborted, and yields nothing after one that aborts", async () => {
    const aborted = answering([["a", "."]], { signal: AbortSignal.abort() });
    expect(await endOf(aborted)).toMatchObject({ chunks: [], error: { code: "cancelled" } });
    expect(aborted.done).toEqual([]);

    const abort = new AbortController();
    const stream = answering([["a", "b", "."]], { signal: abort.signal });
    await stream.next();
    abort.abort();
    expect(await endOf(stream)).toMatchObject({ chunks: [], error: { code: "cancelled" } });
    expect(stream.done).toEqual(["next", "return"]);
  });

  it("throws errors of preparing as they are, and those of opening as errors of the model", async () => {
    const broken = new RangeError("broken");
    const fail = () => Promise.reject(broken);
    const opening: StreamedCall<Event> = { call: { providerId: "one" }, open: fail };

    expect(await endOf(streamAnswer<Event>(fail))).toEqual({ chunks: [], error: broken });
    const { error } = await endOf(streamAnswer<Event>(async () => await Promise.resolve(opening)));
    expect(error).not.toBe(broken);
    expect(error).toMatchObject({ code: expect.any(String) });
  });

  it("yields an answer that came as a whole like one in pieces", async () => {
    const body: ModelResponse = {
      text: "b",
      thinking: "a",
      toolCalls: [
        { id: "1", name: "look", arguments: { x: 1 } },
        { id: "2", name: "find", arguments: {} },
      ],
      malformedArguments: [{ toolCallId: "2", text: '{"x":' }],
      sources: [{ id: "s", url: "https://a.example", title: "A" }],
      finishReason: "tool_calls",
      usage,
      responseId: "r",
    };
    const [bare] = [{ text: "", toolCalls: [], usage, finishReason: "stop" } satisfies ModelResponse];

    expect(await endOf(answering([[new WholeAnswer(body), "late"]]))).toEqual({
      chunks: [
        { type: "thinking", text: "a" },
        text("b"),
        { type: "tool_call_start", toolCall: { id: "1", name: "look" } },
        { type: "tool_call_delta", toolCallId: "1", argumentsDelta: '{"x":1}' },
        { type: "tool_call_end", toolCallId: "1" },
        { type: "tool_call_start", toolCall: { id: "2", name: "find" } },
        { type: "tool_call_delta", toolCallId: "2", argumentsDelta: '{"x":' },
        { type: "tool_call_end", toolCallId: "2" },
        { type: "source", id: "s", url: "https://a.example", title: "A" },
        { type: "finish", finishReason: "tool_calls", usage, responseId: "r" },
      ],
    });
    expect(await endOf(answering([[new WholeAnswer(bare)]]))).toEqual({ chunks: [finish] });
  });
});

describe("generateAnswer", () => {
  const response: ModelResponse = { text: "a", toolCalls: [], usage, finishReason: "stop" };
  const call = { providerId: "one" };

  it("returns the answer, and sends nothing for a signal that has aborted", async () => {
    let sent = 0;
    const send = async () => await Promise.resolve(((sent += 1), response));
    const aborted = { ...call, signal: AbortSignal.abort() };

    expect(await generateAnswer(async () => await Promise.resolve({ call, send }))).toBe(response);
    await expect(generateAnswer(async () => await Promise.resolve({ call: aborted, send }))).rejects.toMatchObject({
      code: "cancelled",
    });
    expect(sent).toBe(1);
  });

  it("throws errors of preparing as they are, and those of sending as errors of the model", async () => {
    const broken = new RangeError("broken");
    const fail = () => Promise.reject(broken);
    const sending = generateAnswer(async () => await Promise.resolve({ call, send: fail }));

    await expect(generateAnswer(fail)).rejects.toBe(broken);
    await expect(sending).rejects.not.toBe(broken);
    await expect(sending).rejects.toMatchObject({ code: expect.any(String) });
  });
});
