import { Readable } from "node:stream";
import { describe, expect, it } from "vitest";
import { readToolResult } from "./tool-outcome.ts";

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
    const { artifacts } = readToolResult({ content: "", artifacts: [{ type: "table", data }] });
    data.rows.push(2);

    expect(artifacts).toEqual([{ type: "table", data: { rows: [1] } }]);
  });

  it("cuts text that is too long and says how much is missing", () => {
    const { result } = readToolResult("ä".repeat(200_000));

    expect(result).toBe(`${"ä".repeat(131_072)}\n[cut here: 68928 of 200000 characters were left out]`);
    expect(readToolResult({ content: "abcdef" }, 4).result).toBe("abcd\n[cut here: 2 of 6 characters were left out]");
  });

  const cycle: Record<string, unknown> = {};
  cycle["self"] = cycle;
  const throwing = {
    get content(): string {
      throw new Error("no");
    },
  };

  it.each<[what: string, value: unknown, described: string]>([
    ["nothing", undefined, "it returned undefined"],
    ["null", null, "it returned null"],
    ["a number", 42, "it returned a number"],
    ["a BigInt", 1n, "it returned a bigint"],
    ["an array", ["a"], "it returned an array"],
    ["a Buffer", Buffer.from("a"), "it returned an object without a string as content"],
    ["a stream", Readable.from(["a"]), "it returned an object without a string as content"],
    ["a cycle", cycle, "it returned an object without a string as content"],
    ["content that is no text", { content: 1 }, "it returned an object without a string as content"],
    ["content that throws", throwing, "it returned an object without a string as content"],
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
    ["an artifact that throws", { content: "", artifacts: [throwing] }, "its artifacts cannot be read"],
  ])("rejects %s and says what a tool must return", (_, value, described) => {
    const read = () => readToolResult(value);

    expect(read).toThrow(
      expect.objectContaining({
        code: "invalid_value",
        message: expect.stringMatching(/^a tool must return a string or \{ content, artifacts\? \}/),
      }),
    );
    expect(read).toThrow(described);
  });
});
