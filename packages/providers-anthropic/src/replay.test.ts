import type { ModelMessage } from "@troupe/core/provider";
import { describe, expect, it } from "vitest";
import { AnthropicEventReader } from "./from-events.ts";
import { replayOf, toReplay, toVendorState } from "./replay.ts";

const model = { providerId: "anthropic", modelId: "claude" };

function answer(id: unknown): ModelMessage {
  const items = [{ type: "tool_use", id, name: "look", input: {} }];
  const toolCalls = [{ id: "a", name: "look", arguments: {} }];
  return { role: "assistant", content: null, toolCalls, vendorState: { ...model, items } };
}

it("an answer is sent back as it came if its calls are the message's, whatever the vendor took for an id", () => {
  expect(replayOf(answer("a"), model)).toEqual([{ type: "tool_use", id: "a", name: "look", input: {} }]);
  expect(replayOf(answer({ toString: null }), model)).toBeUndefined();
  expect(replayOf(answer("b"), model)).toBeUndefined();
});

describe("a block of text that is sent back", () => {
  const blanks = ["", " ", "\n", "\t \r\n", "\u00A0", "\u2003", "\u3000", "\uFEFF", undefined, null, 7];
  const texts = ["0", " é ", "\n\n雨", "☔️", "\u200B", ".\n"];
  const citations = [{ type: "web_search_result_location", url: "https://a.example" }];
  const thought = { type: "thinking", thinking: "Hm.", signature: "s" };

  it.each(blanks)("is left out where it is blank: %j", (text) => {
    expect(toReplay({ type: "text", text })).toEqual([]);
    expect(toReplay({ type: "text", text, citations })).toEqual([]);
    expect(toVendorState([{ type: "text", text }, thought, { type: "text", text }], model)?.items).toEqual([thought]);
  });

  it.each(texts)("is kept whole where it says something: %j", (text) => {
    expect(toReplay({ type: "text", text })).toEqual([{ type: "text", text }]);
    expect(toReplay({ type: "text", text, citations })).toEqual([{ type: "text", text, citations }]);
    expect(toVendorState([{ type: "text", text }, thought], model)?.items).toEqual([{ type: "text", text }, thought]);
  });

  it("is left out of each continuation of an answer where it is blank, though it came in pieces", () => {
    const reader = new AnthropicEventReader(model);
    const continuations = [...blanks, ...texts].map((text) => {
      reader.read({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } }, []);
      for (const piece of typeof text === "string" ? text : "") {
        reader.read({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text: piece } }, []);
      }
      return reader.resume().content;
    });
    const kept = texts.map((text) => ({ type: "text", text }));
    const expected = [...blanks.map(() => []), ...texts.map((_, index) => kept.slice(0, index + 1))];

    expect(continuations).toEqual(expected);
  });
});
