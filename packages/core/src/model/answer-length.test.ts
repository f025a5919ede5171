import { describe, expect, it } from "vitest";
import { answerTooLong, lengthOf, maxAnswerLength } from "./answer-length.ts";
import type { ModelChunk } from "./model-chunk.ts";

describe("lengthOf", () => {
  it.each<[ModelChunk, number]>([
    [{ type: "text", text: "word" }, 5],
    [{ type: "text", text: "" }, 1],
    [{ type: "text", text: "😀" }, 3],
    [{ type: "thinking", text: "hm" }, 3],
    [{ type: "tool_call_delta", toolCallId: "c", argumentsDelta: '{"a":1}' }, 8],
    [{ type: "tool_call_start", toolCall: { id: "c1", name: "look" } }, 64 + 2 + 4],
    [{ type: "source", id: "1" }, 65],
    [{ type: "source", id: "1", url: "https://a.b", title: "T" }, 64 + 1 + 11 + 1],
    [{ type: "finish", finishReason: "stop" }, 1],
  ])("of %j is %i", (chunk, length) => {
    expect(lengthOf(chunk)).toBe(length);
  });

  it("counts nothing for fields of a source that are no strings", () => {
    const chunk = { type: "source", id: 5, url: ["https://a.b"], title: null } as unknown as ModelChunk;

    expect(lengthOf(chunk)).toBe(64);
  });
});

it("the error of an answer that is too long names the limit", () => {
  expect(maxAnswerLength).toBe(2 ** 24);
  expect(answerTooLong()).toMatchObject({
    name: "TroupeError",
    code: "model_failed",
    message: "The model's answer is longer than 16777216 characters. It was ended there.",
    fields: {},
  });
});
