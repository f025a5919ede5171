import { describe, expect, it } from "vitest";
import { citedSource, isHosted, sourcesIn } from "./sources.ts";
import type { WireBlock } from "./wire-types.ts";

const some = expect.stringMatching(/./) as unknown;
const url = "https://a.example";

describe("isHosted", () => {
  it.each<[unknown, boolean]>([
    ["server_tool_use", true],
    ["mcp_tool_use", true],
    ["web_search_tool_result", true],
    ["tool_use", false],
    ["tool_result", false],
    ["server_tool_use_delta", false],
    ["text", false],
    [["server_tool_use"], false],
    [undefined, false],
  ])("tells that %j is one of the vendor's own: %j", (type, expected) => {
    expect(isHosted({ type })).toBe(expected);
  });
});

describe("sourcesIn", () => {
  it.each<[string, WireBlock, unknown[]]>([
    [
      "a text, by its citations",
      { type: "text", citations: [{ url, title: "A" }, { url: "https://b.example" }, null] },
      [
        { id: some, url, title: "A" },
        { id: some, url: "https://b.example" },
      ],
    ],
    ["a text without any", { type: "text", citations: null, content: [{ url }] }, []],
    ["a call of ours", { type: "tool_result", content: [{ url }] }, []],
    [
      "the pages of a search",
      {
        type: "web_search_tool_result",
        tool_use_id: "t",
        citations: [{ url: "no" }],
        content: [{ url }, { title: "x" }],
      },
      [{ id: some, url, toolCallId: "t" }],
    ],
    [
      "a page that was fetched, with the title of its document",
      { type: "web_fetch_tool_result", tool_use_id: "t", content: { url, content: { title: "Inner" } } },
      [{ id: some, url, title: "Inner", toolCallId: "t" }],
    ],
    [
      "a page with two titles",
      { type: "web_fetch_tool_result", content: { url, title: "Outer", content: { title: "Inner" } } },
      [{ id: some, url, title: "Outer" }],
    ],
    ["an error of a search", { type: "web_search_tool_result", content: { error_code: "unavailable" } }, []],
    ["a call of a search", { type: "server_tool_use", id: "t" }, []],
  ])("finds those of %s", (_, block, expected) => {
    expect(sourcesIn(block)).toEqual(expected);
  });
});

describe("citedSource", () => {
  it.each<[object, unknown[]]>([
    [{ url, title: "A" }, [{ id: some, url, title: "A" }]],
    [{ source: url, title: "A" }, [{ id: some, url, title: "A" }]],
    [{ url, source: "https://b.example" }, [{ id: some, url }]],
    [{ file_id: "f", document_index: 1, document_title: "D" }, [{ id: "f", title: "D" }]],
    [{ file_id: "", document_index: 0, document_title: "D" }, [{ id: "document-0", title: "D" }]],
    [{ document_index: 2, title: "T", document_title: "D" }, [{ id: "document-2", title: "T" }]],
    [{ document_index: "0" }, []],
    [{}, []],
  ])("reads %j", (citation, expected) => {
    expect(citedSource(citation as Record<string, unknown>)).toEqual(expected);
  });
});
