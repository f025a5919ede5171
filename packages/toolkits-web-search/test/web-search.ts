import { join } from "node:path";
import type { ToolResult } from "@troupe/core";
import { contextWith, FakeService, recordings, toolOf } from "@troupe-internal/toolkit-fakes";
import { onTestFinished } from "vitest";
import { WebSearchToolkit } from "../src/index.ts";
import type { WebSearchOptions, WebSearchProvider } from "../src/index.ts";

/** Reads a recorded answer of a provider by its name. */
export const recorded = recordings(join(import.meta.dirname, "__fixtures__"));

/** All providers, with the environment variables of their keys. */
export const variablesOf: Readonly<Record<WebSearchProvider, readonly string[]>> = {
  tavily: ["TAVILY_API_KEY"],
  serpapi: ["SERPAPI_API_KEY"],
  brave: ["BRAVE_API_KEY", "BRAVE_SEARCH_API_KEY"],
  exa: ["EXA_API_KEY"],
};

/** The names of all providers. */
export const providers = Object.keys(variablesOf) as WebSearchProvider[];

/** Starts a fake provider that stops with the test and gives one recorded answer, and searches with it. */
export async function startProvider(
  provider: WebSearchProvider,
  name: string,
  options: Partial<WebSearchOptions> = {},
) {
  const service = (await FakeService.start()).answer(recorded(`${provider}-${name}`));
  onTestFinished(() => service.close());
  const toolkit = new WebSearchToolkit({ provider, apiKey: "key-1", baseURL: service.url, ...options });
  const search = async (args: Record<string, unknown> = { query: "q" }) =>
    (await (await toolOf(toolkit, "web_search")).execute(args, contextWith())) as ToolResult;
  return { service, search };
}
