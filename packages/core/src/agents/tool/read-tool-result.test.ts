import { Readable } from "node:stream";
import { describe, expect, it } from "vitest";
import { readToolResult } from "./read-tool-result.ts";

const png = { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" };
const text = { type: "text", text: "A map." };

describe("readToolResult", () => {
  it("reads text [tool.result-text]", () => {
    expect(readToolResult("rain")).toEqual({ result: "rain" });
    expect(readToolResult("")).toEqual({ result: "" });
  });

  it("reads content with artifacts [tool.result-artifacts] [tool.artifact]", () => {
    const artifacts = [
      { type: "image", data: "aGk=", mimeType: "image/png" },
      {
        type: "table",
        data: [
          [1, null],
          ["a", { b: true }],
        ],
      },
    ];

    expect(readToolResult({ content: "rain", artifacts })).toEqual({ result: "rain", artifacts });
    expect(readToolResult({ content: "rain", artifacts: undefined })).toEqual({ result: "rain" });
  });

  it("keeps nothing that the tool could change afterwards", () => {
    const data = { rows: [1] };
    const parts = [{ ...text }];
    const { artifacts, result } = readToolResult({ content: parts, artifacts: [{ type: "table", data }] });
    data.rows.push(2);
    Object.assign(parts[0] ?? {}, { text: "Another." });

    expect(artifacts).toEqual([{ type: "table", data: { rows: [1] } }]);
    expect(result).toEqual([text]);
  });

  it.each<[value: unknown, json: string]>([
    [42, "42"],
    [0, "0"],
    [false, "false"],
    [null, "null"],
    [[], "[]"],
    [{}, "{}"],
    [["a", 1], '["a",1]'],
    [{ city: "Oslo", rain: undefined, days: [1, { wet: true }] }, '{"city":"Oslo","days":[1,{"wet":true}]}'],
    [{ content: "rain", title: "Oslo" }, '{"content":"rain","title":"Oslo"}'],
    [[{ type: "file", name: "a.txt" }], '[{"type":"file","name":"a.txt"}]'],
    [[{ type: "text", text: "a", bold: true }], '[{"type":"text","text":"a","bold":true}]'],
    [[text, "b"], '[{"type":"text","text":"A map."},"b"]'],
  ])("gives the model JSON text of %j [tool.result-json]", (value, json) => {
    expect(readToolResult(value)).toEqual({ result: json });
    expect(readToolResult({ content: value })).toEqual({ result: json });
  });

  it("reads an array of content parts as parts, by itself and with artifacts [tool.result-parts]", () => {
    const artifacts = [{ type: "t", data: 1 }];
    const all = [
      text,
      png,
      { type: "audio", data: "https://example.org/a.mp3" },
      { type: "file", data: "data:text/plain,hi", mimeType: "text/plain", filename: "hi.txt" },
    ];

    expect(readToolResult(all)).toEqual({ result: all });
    for (const part of all) expect(readToolResult([part])).toEqual({ result: [part] });
    expect(readToolResult({ content: all, artifacts })).toEqual({ result: all, artifacts });
    expect(readToolResult([{ ...png, mimeType: undefined }])).toEqual({ result: [{ type: "image", data: png.data }] });
  });

  it("cuts text that is too long and says how much is missing", () => {
    const { result } = readToolResult("ä".repeat(200_000));

    expect(result).toBe(`${"ä".repeat(131_072)}\n[cut here: 68928 of 200000 characters were left out]`);
    expect(readToolResult({ content: "abcdef" }, 4).result).toBe("abcd\n[cut here: 2 of 6 characters were left out]");
    expect(readToolResult([1, 2, 3], 4).result).toBe("[1,2\n[cut here: 3 of 7 characters were left out]");
  });

  it("holds all parts together to maxOutputBytes [tool.max-output-parts]", () => {
    const note = "[image, image/png: left out, because its 12 bytes exceed the maxOutputBytes of the tool, 20]";

    expect(readToolResult([text, png], 18).result).toEqual([text, png]);
    expect(readToolResult([png, png, text], 20).result).toEqual([png, { type: "text", text: note }, text]);
    expect(readToolResult([png, text, text], 20).result).toEqual([
      png,
      text,
      { type: "text", text: "A \n[cut here: 4 of 6 characters were left out]" },
    ]);
  });

  it("leaves out parts beyond the hundredth, and says so", () => {
    const { result } = readToolResult(Array.from({ length: 103 }, () => text));

    expect(result).toHaveLength(101);
    expect(result[100]).toEqual({ type: "text", text: "[3 more parts were left out]" });
  });

  const cycle: Record<string, unknown> = {};
  cycle["self"] = cycle;
  const throwing = {
    get content(): string {
      throw new Error("no");
    },
  };

  it.each<[what: string, value: unknown, described: string]>([
    ["nothing", undefined, "its result is undefined"],
    ["a BigInt", 1n, "its result is a BigInt, which JSON cannot hold: use a string"],
    ["a function", () => "a", "its result is a function"],
    ["a symbol", Symbol("a"), "its result is a symbol"],
    ["NaN", Number.NaN, "its result is NaN, which JSON cannot hold"],
    ["a Date", new Date(0), "its result is a Date, which JSON cannot hold: use its toISOString()"],
    ["a Date among rows", [{ at: new Date(0) }], "its result[0].at is a Date"],
    ["a Map", new Map(), "its result is a class instance"],
    ["a Buffer", Buffer.from("a"), "its result is a class instance"],
    ["a stream", Readable.from(["a"]), "its result is a class instance"],
    ["a cycle", cycle, "nests deeper than 64 levels, or contains itself"],
    ["content that is no JSON", { content: 1n }, "its content is a BigInt"],
    ["content that is missing", { artifacts: [] }, "its content is missing"],
    ["content that throws", throwing, "its content is missing"],
    ["a field beside content and artifacts", { content: "", artifacts: [], more: 1 }, 'it returned "more" beside'],
    [
      "a getter that throws",
      {
        get a(): string {
          throw new Error("no");
        },
      },
      "its result cannot be read",
    ],
    ["a part that is not in an array", png, "its result is a content part by itself: return it in an array"],
    ["a part as content", { content: png }, "its content is a content part by itself"],
    ["a part among other values", [png, "a map"], "its result[1] must be a content part"],
    ["a part with an unknown field", [{ ...png, alt: "" }], 'Unknown field "alt" of its result[0]'],
    ["a file without a mime type", [{ type: "file", data: "aGk=" }], "its result[0].mimeType must be a string"],
    ["an image that is no image", [{ type: "image", data: "not base64!" }], "its result[0].data is neither base64"],
    ["an image without data", [{ type: "image", data: "" }], "its result[0].data is empty"],
  ])("rejects %s and says what a tool must return [tool.result-no-json]", (_, value, described) => {
    const read = () => readToolResult(value);

    expect(read).toThrow(
      expect.objectContaining({
        code: "invalid_value",
        message: expect.stringMatching(/^a tool must return a string, a JSON value, an array of content parts/),
      }),
    );
    expect(read).toThrow(described);
  });

  it.each<[what: string, value: unknown, described: string]>([
    ["artifacts that are no list", { content: "", artifacts: {} }, "its artifacts are no array"],
    ["an artifact without type", { content: "", artifacts: [{ data: 1 }] }, "artifacts[0] has no type or no data"],
    ["an artifact without data", { content: "", artifacts: [{ type: "a" }] }, "artifacts[0] has no type or no data"],
    [
      "an artifact with a wrong mime type",
      { content: "", artifacts: [{ type: "a", data: 1, mimeType: 1 }] },
      "artifacts[0] has no type or no data",
    ],
    [
      "an artifact with bytes",
      { content: "", artifacts: [{ type: "a", data: Buffer.from("a") }] },
      "artifacts[0].data is a class instance",
    ],
    [
      "an artifact with a cycle",
      { content: "", artifacts: [{ type: "a", data: cycle }] },
      "nests deeper than 64 levels",
    ],
    ["an artifact that throws", { content: "", artifacts: [throwing] }, "its result cannot be read"],
  ])("rejects %s and says what is wrong [tool.artifact]", (_, value, described) => {
    expect(() => readToolResult(value)).toThrow(described);
  });
});
