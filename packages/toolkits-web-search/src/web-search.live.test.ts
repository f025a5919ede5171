import type { ToolResult } from "@troupe/core";
import { contextWith, toolOf } from "@troupe-internal/toolkit-fakes";
import { describe, expect, it } from "vitest";
import { providers, variablesOf } from "../test/web-search.ts";
import { WebSearchToolkit } from "./index.ts";

const isLive = process.env["TROUPE_LIVE"] === "1";

describe.each(providers)("the real %s", (provider) => {
  const hasKey = variablesOf[provider].some((name) => (process.env[name] ?? "") !== "");
  const whyNot = isLive ? `none of ${variablesOf[provider].join(", ")} is set` : "TROUPE_LIVE is not 1";
  if (!isLive || !hasKey) process.stdout.write(`The live tests of ${provider} are skipped: ${whyNot}.\n`);

  it.skipIf(!isLive || !hasKey)("finds pages", async () => {
    const toolkit = new WebSearchToolkit({ provider, maxResults: 3 });
    const tool = await toolOf(toolkit, "web_search");
    const { content } = (await tool.execute({ query: "Node.js release notes" }, contextWith())) as ToolResult;
    const { results } = content as { results: { url: string; snippet: string }[] };

    expect(results.length).toBeGreaterThan(0);
    expect(results.every(({ url }) => url.startsWith("http"))).toBe(true);
    expect(results.some(({ snippet }) => snippet !== "")).toBe(true);
  });

  it.skipIf(!isLive)("refuses a wrong key as such", async () => {
    const toolkit = new WebSearchToolkit({ provider, apiKey: "a-key-that-is-wrong" });
    const tool = await toolOf(toolkit, "web_search");

    await expect(tool.execute({ query: "q" }, contextWith())).rejects.toMatchObject({
      code: "unauthorized",
      fields: { problem: "credential_refused" },
    });
  });
});
