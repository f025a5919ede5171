import { describe, expect, it } from "vitest";
import { readContextExcess } from "./context-excess.ts";

describe("readContextExcess", () => {
  it.each<[string, number | undefined]>([
    ["This model's maximum context length is 128,000 tokens. However, you requested 130000 tokens.", 128_000],
    ["This endpoint's maximum context length of 4096 tokens", 4096],
    ["maximum context length is 1,048,576 tokens", 1_048_576],
    ["The prompt is longer than the maximum model length of 2048", 2048],
    ["the context length is only 8192 tokens", 8192],
    ["Prompt contains 40000 tokens, too large for model with 32768 maximum context length", 32_768],
    ["This model's maximum prompt length is 131072 but the request contains 200000 tokens.", 131_072],
    ["Your request exceeded model token limit: 8192", 8192],
    ["`inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000", 4096],
    ["prompt is too long: 210,000 tokens > 200,000 maximum", 200_000],
    ["prompt is too long", undefined],
    ["input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000", 200_000],
    ["input length exceed context limit", undefined],
    ["Input is too long for requested model.", undefined],
    ["The input token count (2000000) exceeds the maximum number of tokens allowed (1048576).", 1_048_576],
    ["The input token count is 40000 but model only supports up to 32768", 32_768],
    ["request (9000 tokens) exceeds the available context size (8192 tokens), try increasing it", 8192],
    ["the request exceeds the available context size. try increasing", undefined],
    ["the input length exceeds the context length", undefined],
    ["input length exceeds maximum context length", undefined],
    ["Your input exceeds the context window of this model.", undefined],
    ["error: context_length_exceeded", undefined],
    ["CONTEXT LENGTH EXCEEDED", undefined],
  ])("reads the words %j", (message, limit) => {
    const excess = limit === undefined ? {} : { limit };

    expect(readContextExcess({ message }, undefined)).toEqual(excess);
    expect(readContextExcess({ message, status: 400 }, "invalid_request_error")).toEqual(excess);
    for (const status of [401, 403, 404, 429])
      expect(readContextExcess({ message, status }, undefined)).toBeUndefined();
  });

  it.each([
    "The image is too long.",
    "maximum context length",
    "Rate limit: maximum of 5 requests",
    "The context window of the run is fine.",
    "",
  ])("reads nothing in the words %j", (message) => {
    expect(readContextExcess({ message, status: 400 }, undefined)).toBeUndefined();
  });

  it.each(["context_length_exceeded", "exceed_context_size_error"])("reads the code %s without words", (code) => {
    expect(readContextExcess({ status: 400 }, code)).toEqual({});
    expect(readContextExcess({ message: "x", status: 400 }, code)).toEqual({});
    expect(readContextExcess({ status: 429 }, code)).toBeUndefined();
  });

  it.each<[object, object]>([
    [{ contextLimit: 100 }, { limit: 100 }],
    [{ error: { n_ctx: 200 } }, { limit: 200 }],
    [{ contextLimit: 100, error: { n_ctx: 200 } }, { limit: 100 }],
    [{ contextLimit: 100, message: "maximum context length is 300" }, { limit: 100 }],
    [{ contextLimit: 0 }, {}],
    [{ contextLimit: -1 }, {}],
    [{ contextLimit: 1.5 }, {}],
    [{ contextLimit: "many" }, {}],
    [{ message: `maximum context length is ${"9".repeat(20)}` }, {}],
  ])("takes the limit of a field before that of the words, and none that is no count: %j", (thrown, excess) => {
    expect(readContextExcess(thrown, "context_length_exceeded")).toEqual(excess);
  });

  it("needs words or a code: the field alone says nothing", () => {
    expect(readContextExcess({ contextLimit: 100, status: 400 }, "other")).toBeUndefined();
  });

  it("reads the first 2,000 characters of the words", () => {
    const words = "exceeds the context window";
    const behind = (length: number) => readContextExcess({ message: `${" ".repeat(length)}${words}` }, undefined);

    expect([behind(2000 - words.length), behind(2001 - words.length)]).toEqual([{}, undefined]);
  });

  it.each([[null], [undefined], ["maximum context length is 5"], [{ message: 5 }]])("reads nothing in %j", (thrown) => {
    expect(readContextExcess(thrown, undefined)).toBeUndefined();
  });
});
