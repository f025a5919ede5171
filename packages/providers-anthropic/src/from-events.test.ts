import type { ModelChunk } from "@troupe/core/provider";
import { describe, expect, it } from "vitest";
import { AnthropicEventReader } from "./from-events.ts";

const model = { providerId: "anthropic", modelId: "claude" };
const begin = { type: "message_start", message: { id: "m", model: "claude-1", usage: { input_tokens: 5 } } };
const halt = { type: "message_stop" };

function start(index: number, block: object): object {
  return { type: "content_block_start", index, content_block: block };
}

function add(index: number, delta: object): object {
  return { type: "content_block_delta", index, delta };
}

function stop(index: number): object {
  return { type: "content_block_stop", index };
}

function reason(word: string, usage: object = {}, more: object = {}): object {
  return { type: "message_delta", delta: { stop_reason: word, ...more }, usage };
}

function readAll(events: readonly object[], reader = new AnthropicEventReader(model)): ModelChunk[] {
  const chunks: ModelChunk[] = [];
  for (const event of events) reader.read(event, chunks);
  return chunks;
}

/** The chunks of a block before the last one. */
function chunksOf(...events: object[]): ModelChunk[] {
  return readAll([begin, ...events, reason("end_turn"), halt]).slice(0, -1);
}

describe("a block of a streamed answer", () => {
  it("tells its words as they come, without empty ones", () => {
    const events = [
      start(0, { type: "thinking", thinking: "H", signature: null }),
      add(0, { type: "thinking_delta", thinking: "m." }),
      add(0, { type: "text_delta", text: "lost" }),
      add(0, { type: "signature_delta", signature: "s" }),
      stop(0),
      start(1, { type: "text", text: null }),
      add(1, { type: "text_delta", text: "Yes" }),
      add(1, { type: "text_delta", text: "" }),
      add(1, { type: "thinking_delta", thinking: "lost" }),
      add(2, { type: "text_delta", text: "lost" }),
      stop(1),
    ];

    expect(readAll([begin, ...events, reason("end_turn", { output_tokens: 7 }), halt])).toEqual([
      { type: "thinking", text: "H" },
      { type: "thinking", text: "m." },
      { type: "text", text: "Yes" },
      {
        type: "finish",
        finishReason: "stop",
        usage: {
          promptTokens: 5,
          completionTokens: 7,
          totalTokens: 12,
          providerMetrics: { input_tokens: 5, output_tokens: 7 },
        },
        responseId: "m",
        model: "claude-1",
        vendorState: {
          ...model,
          items: [
            { type: "thinking", thinking: "Hm.", signature: "s" },
            { type: "text", text: "Yes" },
          ],
        },
      },
    ]);
  });

  it("is begun once, and its events change no event that came", () => {
    const first = Object.freeze({ type: "text", text: "A", citations: [] });

    expect(chunksOf(start(0, first), start(0, first), add(0, { type: "text_delta", text: "B" }))).toEqual([
      { type: "text", text: "A" },
      { type: "text", text: "B" },
    ]);
  });

  it("tells the pages that it cites, at its start and later", () => {
    const block = { type: "text", text: "A", citations: [{ url: "https://a.example", title: "A" }] };
    const citation = { type: "web_search_result_location", url: "https://b.example" };

    expect(
      chunksOf(
        start(0, { ...block, text: "" }),
        start(1, { type: "thinking" }),
        add(0, { type: "citations_delta", citation }),
        add(1, { type: "citations_delta", citation }),
        start(2, { type: "web_search_tool_result", tool_use_id: "t", content: [{ url: "https://c.example" }] }),
      ),
    ).toEqual([
      { type: "source", id: expect.any(String) as unknown, url: "https://b.example" },
      { type: "source", id: expect.any(String) as unknown, url: "https://c.example", toolCallId: "t" },
    ]);
  });

  it("keeps the citations of a search, after those of its start", () => {
    const found = (url: string) => ({ type: "web_search_result_location", url });
    const events = [
      start(0, { type: "thinking" }),
      start(1, { type: "text", text: "A", citations: [found("https://a.example")] }),
      add(1, { type: "citations_delta", citation: found("https://b.example") }),
    ];

    expect(readAll([...events, reason("end_turn"), halt]).at(-1)).toMatchObject({
      vendorState: {
        items: [
          { type: "thinking", thinking: "", signature: "" },
          { type: "text", text: "A", citations: [found("https://a.example"), found("https://b.example")] },
        ],
      },
    });
  });
});

describe("a streamed call", () => {
  const call = { type: "tool_use", id: "t", name: "look", input: {} };
  const begun = { type: "tool_call_start", toolCall: { id: "t", name: "look" } };
  const said = (argumentsDelta: string) => ({ type: "tool_call_delta", toolCallId: "t", argumentsDelta });
  const ended = { type: "tool_call_end", toolCallId: "t" };
  const json = (partial: unknown) => add(0, { type: "input_json_delta", partial_json: partial });

  it.each<[string, object[], object[]]>([
    ["in pieces", [json('{"a":'), json(""), json("1}"), stop(0)], [said('{"a":'), said("1}"), ended]],
    ["without arguments", [stop(0)], [said("{}"), ended]],
    ["that is stopped twice", [json("{}"), stop(0), stop(0)], [said("{}"), ended]],
    ["whose arguments follow its stop", [stop(0), json("{}")], [said("{}"), ended]],
    ["whose piece is no text", [json(1), stop(0)], [said("{}"), ended]],
  ])("is told once %s", (_, events, expected) => {
    expect(chunksOf(start(0, call), ...events)).toEqual([begun, ...expected]);
  });

  it.each([
    ["its whole arguments at once", { input: { a: 1 } }, '{"a":1}'],
    ["no arguments", { input: undefined }, "{}"],
    ["null", { input: null }, "{}"],
  ])("is told with %s", (_, more, text) => {
    expect(chunksOf(start(0, { ...call, ...more }))).toEqual([begun, said(text), ended]);
  });

  it("is told beside another that is open", () => {
    const other = { type: "tool_use", id: "u", name: "see", input: {} };
    const chunks = chunksOf(start(0, call), start(1, other), json('{"a":1}'), stop(1), stop(0));

    expect(chunks).toEqual([
      begun,
      { type: "tool_call_start", toolCall: { id: "u", name: "see" } },
      said('{"a":1}'),
      ended,
      { type: "tool_call_delta", toolCallId: "u", argumentsDelta: "{}" },
      { type: "tool_call_end", toolCallId: "u" },
    ]);
  });

  it.each<[string, unknown, object]>([
    ["what they say", '{"a":1}', { a: 1 }],
    ["nothing where they are no JSON", '{"a":', {}],
  ])("goes back with its arguments: %s", (_, text, input) => {
    const events = [start(1, { type: "redacted_thinking", data: "d" }), start(0, call), json(text), stop(0)];
    const chunks = readAll([begin, ...events, reason("tool_use"), halt]);

    expect(chunks.at(-1)).toMatchObject({
      finishReason: "tool_calls",
      vendorState: {
        items: [
          { type: "redacted_thinking", data: "d" },
          { ...call, input },
        ],
      },
    });
  });

  it("gets an id where it has none, and is skipped without a name", () => {
    const chunks = readAll([start(0, { ...call, id: "" }), start(1, { ...call, name: "" }), reason("tool_use"), halt]);
    const id = expect.stringMatching(/^toolu_[\da-z]+$/) as unknown;

    expect(chunks).toEqual([
      { type: "tool_call_start", toolCall: { id, name: "look" } },
      { type: "tool_call_delta", toolCallId: id, argumentsDelta: "{}" },
      { type: "tool_call_end", toolCallId: id },
      {
        type: "finish",
        finishReason: "tool_calls",
        skippedCalls: 1,
        usage: { promptTokens: 0, completionTokens: 0, totalTokens: 0, providerMetrics: {} },
      },
    ]);
  });
});

describe("the container of a streamed answer", () => {
  const delta = (more: object) => ({ type: "message_delta", delta: more });

  it.each<[string, object[], string | undefined]>([
    ["none where none was named", [delta({}), delta({ stop_reason: "pause_turn" })], undefined],
    ["the one that was named", [delta({ container: { id: "c" } })], "c"],
    ["kept by a delta without one", [delta({ container: { id: "c" } }), delta({ stop_reason: "pause_turn" })], "c"],
    ["kept by null", [delta({ container: { id: "c" } }), delta({ container: null })], "c"],
    ["kept by one without an id", [delta({ container: { id: "c" } }), delta({ container: {} })], "c"],
    ["kept by an id that is no text", [delta({ container: { id: "c" } }), delta({ container: { id: 7 } })], "c"],
    ["kept by an empty id", [delta({ container: { id: "c" } }), delta({ container: { id: "" } })], "c"],
    ["the last one", [delta({ container: { id: "c" } }), delta({ container: { id: "d" } }), delta({})], "d"],
  ])("is %s", (_, events, container) => {
    const reader = new AnthropicEventReader(model);
    readAll([begin, ...events], reader);

    expect(reader.resume().container).toBe(container);
  });

  it("is sent with each continuation, until another is named", () => {
    const reader = new AnthropicEventReader(model);
    const paused = delta({ stop_reason: "pause_turn" });
    const rounds = [[delta({ container: { id: "c" } })], [], [begin], [delta({ container: { id: "d" } })], []];
    const containers = rounds.map((events) => (readAll([...events, paused, halt], reader), reader.resume().container));

    expect(containers).toEqual(["c", "c", "c", "d", "d"]);
  });
});
