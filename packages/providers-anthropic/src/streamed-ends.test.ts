import { TruncatedResponseError } from "@troupe/core/provider";
import type { ModelChunk } from "@troupe/core/provider";
import { describe, expect, it } from "vitest";
import { AnthropicEventReader } from "./from-events.ts";

const model = { providerId: "anthropic", modelId: "claude" };
const halt = { type: "message_stop" };

function reason(word: unknown, usage?: object): object {
  return { type: "message_delta", delta: { stop_reason: word }, usage };
}

/** Reads the events, and tells after each what the reader says of the end. */
function follow(events: readonly object[]) {
  const reader = new AnthropicEventReader(model);
  const chunks: ModelChunk[] = [];
  const states = events.map((event) => {
    reader.read(event, chunks);
    const { isEnding, isComplete, isPaused } = reader;
    return [isEnding && "ending", isComplete && "complete", isPaused && "paused"].filter(Boolean).join(" ");
  });
  return { reader, chunks, states };
}

const finish = (usage: object = {}) => ({
  type: "finish",
  finishReason: "length",
  usage: { promptTokens: 0, completionTokens: 0, totalTokens: 0, providerMetrics: {}, ...usage },
});

describe("the end of a streamed answer", () => {
  it.each<[string, object[], string[]]>([
    ["its reason and its last event", [reason("max_tokens"), halt], ["ending", "ending complete"]],
    ["its last event, then its reason", [halt, reason("max_tokens")], ["ending", "ending"]],
    ["a reason that a later one lacks", [reason("max_tokens"), reason(null)], ["ending", "ending"]],
    ["a reason that is no text", [reason(7), { type: "ping" }], ["", ""]],
    ["a pause", [reason("pause_turn"), halt], ["paused", "paused"]],
  ])("is seen by %s", (_, events, expected) => {
    const { chunks, states } = follow(events);

    expect(states).toEqual(expected);
    expect(chunks).toEqual(expected.includes("ending complete") ? [finish()] : []);
  });

  it("may lack its last event, but not its reason", () => {
    const given = follow([halt, reason("max_tokens")]);
    given.reader.end(given.chunks);
    const open = follow([halt]);

    expect(given.chunks).toEqual([finish()]);
    expect(given.reader.isComplete).toBe(true);
    expect(() => open.reader.end(open.chunks)).toThrow(TruncatedResponseError);
    expect(open.chunks).toEqual([]);
  });

  it("ends the calls that are open first", () => {
    const block = { type: "tool_use", id: "t", name: "look", input: {} };
    const start = { type: "content_block_start", index: 0, content_block: block };
    const { reader, chunks } = follow([start, reason("max_tokens")]);
    reader.end(chunks);

    expect(chunks.slice(1)).toEqual([
      { type: "tool_call_delta", toolCallId: "t", argumentsDelta: "{}" },
      { type: "tool_call_end", toolCallId: "t" },
      finish(),
    ]);
  });

  it("has the counts that came last, and those of the beginning that stayed", () => {
    const begin = { type: "message_start", message: { usage: { input_tokens: 5, output_tokens: 1 } } };
    const { chunks } = follow([begin, reason("max_tokens", { output_tokens: 9, input_tokens: null }), halt]);

    expect(chunks).toEqual([
      finish({
        promptTokens: 5,
        completionTokens: 9,
        totalTokens: 14,
        providerMetrics: { input_tokens: 5, output_tokens: 9 },
      }),
    ]);
  });

  it.each([
    [
      { type: "overloaded_error", message: "Busy." },
      { status: 529, message: "Busy." },
    ],
    [null, { status: 500 }],
  ])("is an error that came: %j", (error, expected) => {
    expect(() => follow([{ type: "error", error }])).toThrow(expect.objectContaining(expected));
  });
});

describe("a paused answer", () => {
  const text = (said: string) => ({
    type: "content_block_start",
    index: 0,
    content_block: { type: "text", text: said },
  });
  const begin = { type: "message_start", message: { id: "m", usage: { input_tokens: 5 } } };
  const pause = { type: "message_delta", delta: { stop_reason: "pause_turn", container: { id: "c" } } };

  it("goes on with all its parts, and counts them together", () => {
    const { reader, chunks } = follow([begin, text("One."), pause, halt]);
    const [first, second] = [reader.resume(), [begin, text("Two."), pause]];
    for (const event of second) reader.read(event, chunks);
    const later = reader.resume();
    for (const event of [{ ...begin, message: { id: "n" } }, text(" "), reason("end_turn"), halt]) {
      reader.read(event, chunks);
    }

    expect(first).toEqual({ content: [{ type: "text", text: "One." }], container: "c" });
    expect(later).toEqual({
      content: [
        { type: "text", text: "One." },
        { type: "text", text: "Two." },
      ],
      container: "c",
    });
    expect(chunks).toEqual([
      { type: "text", text: "One." },
      { type: "text", text: "Two." },
      { type: "text", text: " " },
      {
        type: "finish",
        finishReason: "stop",
        usage: { promptTokens: 10, completionTokens: 0, totalTokens: 10, providerMetrics: {} },
        responseId: "n",
      },
    ]);
  });

  it("sends back with the next call what came before the pause", () => {
    const thought = { type: "thinking", thinking: "Hm.", signature: "s" };
    const { reader, chunks } = follow([{ type: "content_block_start", index: 0, content_block: thought }, pause]);
    reader.resume();
    for (const event of [text("Yes."), reason("end_turn"), halt]) reader.read(event, chunks);

    expect(chunks.at(-1)).toMatchObject({ vendorState: { items: [thought, { type: "text", text: "Yes." }] } });
  });

  it("has no container unless one came, and is not over before its next part", () => {
    const { reader } = follow([reason("pause_turn"), halt]);

    expect(reader.resume()).toEqual({ content: [], container: undefined });
    expect([reader.isPaused, reader.isEnding, reader.isComplete]).toEqual([false, false, false]);
  });

  it("is continued ten times, and then over", () => {
    const { reader, chunks } = follow([]);
    for (let count = 0; count < 10; count += 1) {
      for (const event of [pause, halt]) reader.read(event, chunks);
      expect(reader.isPaused).toBe(true);
      reader.resume();
    }
    for (const event of [pause, halt]) reader.read(event, chunks);

    expect(reader.isPaused).toBe(false);
    expect(chunks).toEqual([{ ...finish(), finishReason: "other" }]);
  });
});
