import { noUsage } from "@troupe/core/provider";
import { describe, expect, it } from "vitest";
import { toArtifactChunk, toClientJson, toUiOutput, toUiUsage } from "./ui-chunk.ts";

const parse = (json: string): unknown => JSON.parse(json);

describe("toClientJson", () => {
  it.each<[what: string, value: unknown]>([
    ["a text", "__proto__"],
    ["null", null],
    ["a list", [1, { a: [false] }]],
    ["a text about a constructor", { text: "constructor __proto__" }],
    ["a constructor that is a text", { constructor: "prototype" }],
    ["a constructor that is null", { constructor: null }],
    ["a constructor without a prototype", { constructor: { name: "Ada" } }],
    ["a prototype without a constructor", { prototype: { constructor: 1 } }],
  ])("leaves %s as it is", (_, value) => {
    expect(toClientJson(value)).toBe(value);
  });

  it.each([
    '{"__proto__":null}',
    '{"a":[{"b":{"__proto__":{}}}]}',
    '[0,{"constructor":{"prototype":null}}]',
    '{"constructor":{"a":{"constructor":{"prototype":1}}}}',
  ])("makes %s its JSON text", (json) => {
    expect(toClientJson(parse(json))).toBe(json);
  });

  it("leaves what no JSON can say as it is", () => {
    expect(toClientJson(undefined)).toBeUndefined();
  });
});

describe("toUiOutput", () => {
  it.each<[result: unknown, output: unknown]>([
    ["Seen.", "Seen."],
    ["", ""],
    ["7", "7"],
    ["null", "null"],
    ['"text"', '"text"'],
    [' {"a":1}', ' {"a":1}'],
    ['{"a":[1]}', { a: [1] }],
    ["[1,2]", [1, 2]],
    ["{not JSON}", "{not JSON}"],
    ["[link](https://example.org)", "[link](https://example.org)"],
    ['{"__proto__":{}}', '{"__proto__":{}}'],
    [{ a: 1 }, { a: 1 }],
    [0, 0],
    [false, false],
    [null, null],
    [undefined, null],
    [parse('{"__proto__":1}'), '{"__proto__":1}'],
  ])("of %j is %j", (result, output) => {
    expect(toUiOutput(result)).toEqual(output);
  });
});

describe("toArtifactChunk", () => {
  const of = { toolCallId: "t1", toolName: "draw" };

  it.each(["image", "audio", "video", "file"])("makes a file of the kind %s", (type) => {
    expect(toArtifactChunk({ type, data: "aGk=", mimeType: "a/b", ...of })).toEqual({
      type: "file",
      mediaType: "a/b",
      url: "data:a/b;base64,aGk=",
    });
  });

  it.each(["data:a/b;base64,aGk=", "http://example.org/a", "HTTPS://example.org/a"])("keeps the URL %s", (url) => {
    expect(toArtifactChunk({ type: "image", data: url, mimeType: "a/b", ...of })).toEqual({
      type: "file",
      mediaType: "a/b",
      url,
    });
  });

  it.each<[what: string, artifact: { type: string; data: unknown; mimeType?: string }]>([
    ["of another kind", { type: "chart", data: "aGk=", mimeType: "a/b" }],
    ["without a type of its data", { type: "image", data: "aGk=" }],
    ["whose data is no text", { type: "image", data: { x: 1 }, mimeType: "a/b" }],
  ])("makes data of an artifact %s, with the call that has made it", (_, artifact) => {
    expect(toArtifactChunk({ ...artifact, ...of })).toEqual({ type: "data-artifact", data: { ...artifact, ...of } });
  });

  it("makes a text of data that the SDK would refuse", () => {
    const artifact = { type: "chart", data: parse('{"__proto__":1}'), ...of };
    expect(toArtifactChunk(artifact)).toEqual({ type: "data-artifact", data: JSON.stringify(artifact) });
  });
});

describe("toUiUsage", () => {
  const usage = { ...noUsage, promptTokens: 1, completionTokens: 2, totalTokens: 4 };

  it("has the three counts under the names of the SDK, and no other", () => {
    expect(toUiUsage(usage)).toStrictEqual({ inputTokens: 1, outputTokens: 2, totalTokens: 4 });
  });

  it("has the tokens of reasoning and of the cache where they were counted, also none", () => {
    const names = { inputTokens: 1, outputTokens: 2, totalTokens: 4 };
    expect(toUiUsage({ ...usage, reasoningTokens: 5, cachedTokens: 6 })).toStrictEqual({
      ...names,
      reasoningTokens: 5,
      cachedInputTokens: 6,
    });
    expect(toUiUsage({ ...usage, reasoningTokens: 0 })).toStrictEqual({ ...names, reasoningTokens: 0 });
    expect(toUiUsage({ ...usage, cachedTokens: 0 })).toStrictEqual({ ...names, cachedInputTokens: 0 });
  });
});
