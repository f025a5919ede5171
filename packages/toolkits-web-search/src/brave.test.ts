import type { ToolResult } from "@troupe/core";
import { contextWith, toolOf } from "@troupe-internal/toolkit-fakes";
import { describe, expect, it } from "vitest";
import { WebSearchToolkit } from "./index.ts";

/** Searches with Brave, which answers with this. */
async function search(body: unknown, init: ResponseInit = {}): Promise<ToolResult> {
  const fetch = async () => await Promise.resolve(new Response(JSON.stringify(body), init));
  const toolkit = new WebSearchToolkit({ provider: "brave", apiKey: "key-1", fetch });
  return (await (await toolOf(toolkit, "web_search")).execute({ query: "q" }, contextWith())) as ToolResult;
}

describe("an answer of Brave", () => {
  it.each<[string, object, object]>([
    ["its own date first", { page_age: "2026-11-18T00:00:00", age: "2 days ago" }, { date: "2026-11-18" }],
    ["its age", { page_age: null, age: "2 days ago" }, { date: "2 days ago" }],
    ["neither", {}, {}],
  ])("has a hit with %s", async (_, more, expected) => {
    const results = [{ title: "T", url: "https://e.x/a", description: "D", ...more }];

    expect((await search({ web: { results } })).content).toEqual({
      results: [{ title: "T", url: "https://e.x/a", snippet: "D", ...expected }],
    });
  });

  it("has none without web where it is a search", async () => {
    expect((await search({ type: "search", query: {} })).content).toMatchObject({ results: [] });
  });

  it.each([{}, { type: "news", query: {} }, { type: "search" }, { web: {} }, { web: null }, { web: { results: {} } }])(
    "is refused as %j",
    async (body) => {
      await expect(search(body)).rejects.toMatchObject({ fields: { problem: "unreadable" } });
    },
  );

  it.each<[string, string, object]>([
    ["0, 1995", "1, 86400", { problem: "rate_limited", retryAfterMs: 1000 }],
    ["1, 0", "1, 86400", { problem: "quota_exceeded" }],
    ["0, 0", "1, 3600", { problem: "quota_exceeded" }],
    ["0, 0", "1, 3599", { problem: "rate_limited", retryAfterMs: 3_599_000 }],
    ["0", "0", { problem: "rate_limited", retryAfterMs: 0 }],
    ["0", "-1", { problem: "rate_limited" }],
    ["x", "1", { problem: "rate_limited" }],
    ["1, 1", "1, 86400", { problem: "rate_limited" }],
  ])("tells with %j left for %j how long to wait", async (remaining, reset, expected) => {
    const headers = { "x-ratelimit-remaining": remaining, "x-ratelimit-reset": reset };

    await expect(search({}, { status: 429, headers })).rejects.toHaveProperty("fields", {
      service: "Brave Search",
      status: 429,
      ...expected,
    });
  });

  it("knows a wrong key by its code, whatever the status", async () => {
    const error = { code: "SUBSCRIPTION_TOKEN_INVALID" };

    await expect(search({ error }, { status: 422 })).rejects.toMatchObject({
      fields: { problem: "credential_refused" },
    });
    await expect(search({ error: {} }, { status: 422 })).rejects.toMatchObject({ fields: { problem: "refused" } });
  });
});

it.each<[unknown, object]>([
  [0.123456, { score: 0.123 }],
  [0, { score: 0 }],
  [-1.5, { score: -1.5 }],
  ["1", {}],
  [null, {}],
])("shows the score %j of a provider that has one", async (score, expected) => {
  const results = [{ title: "T", url: "https://e.x/a", content: "C", score }];
  const fetch = async () => await Promise.resolve(new Response(JSON.stringify({ results })));
  const toolkit = new WebSearchToolkit({ provider: "tavily", apiKey: "key-1", fetch });
  const { content } = (await (
    await toolOf(toolkit, "web_search")
  ).execute({ query: "q" }, contextWith())) as ToolResult;

  expect(content).toEqual({ results: [{ title: "T", url: "https://e.x/a", snippet: "C", ...expected }] });
});
