import { describe, expect, it } from "vitest";
import { isHosted, sourcesIn } from "./sources.ts";
import type { OutputItem } from "./wire-types.ts";

const some = expect.stringMatching(/./) as unknown;
const [a, b] = ["https://a.example", "https://b.example"];

it.each([
  ["message", false],
  ["reasoning", false],
  ["function_call", false],
  ["web_search_call", true],
  ["file_search_call", true],
  ["mcp_call", true],
])("the reader of sources tells if an item of type %s is of the vendor's own tools: %j", (type, expected) => {
  expect(isHosted({ type })).toBe(expected);
});

it("the reader of sources takes an item without a type for none of the vendor's tools", () => {
  expect(isHosted({})).toBe(false);
});

describe("sourcesIn", () => {
  it.each<[string, OutputItem, unknown[]]>([
    [
      "the citations of a text",
      {
        type: "message",
        id: "m",
        content: [{ annotations: [{ url: a, title: "A" }] }, { annotations: [{ file_id: "f", filename: "F" }, null] }],
        results: [{ url: b }],
      },
      [
        { id: some, url: a, title: "A" },
        { id: "f", title: "F" },
      ],
    ],
    [
      "the pages of a search",
      { type: "web_search_call", id: "w", action: { sources: [{ url: a }, { url: b, title: "B" }] } },
      [
        { id: some, url: a, toolCallId: "w" },
        { id: some, url: b, title: "B", toolCallId: "w" },
      ],
    ],
    [
      "the files of a search, behind pages",
      { type: "x", id: "w", action: { sources: [{ url: a }] }, results: [{ file_id: "f", filename: "F" }] },
      [
        { id: some, url: a, toolCallId: "w" },
        { id: "f", title: "F", toolCallId: "w" },
      ],
    ],
    [
      "a file with a title",
      { type: "x", results: [{ file_id: "f", title: "T", filename: "F" }] },
      [{ id: "f", title: "T" }],
    ],
    ["a search without any", { type: "web_search_call", id: "w", action: null, results: null }, []],
    ["a text without any", { type: "message", content: [{ annotations: null }, "x"] }, []],
  ])("finds %s", (_, item, expected) => {
    expect(sourcesIn(item)).toEqual(expected);
  });
});
