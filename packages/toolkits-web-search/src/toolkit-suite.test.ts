import { toolkitSuite } from "@troupe-internal/toolkit-fakes";
import { describe, it } from "vitest";
import { providers, recorded, variablesOf } from "../test/web-search.ts";
import { WebSearchToolkit } from "./index.ts";

describe.each(providers)("WebSearchToolkit with %s", (provider) => {
  toolkitSuite(it, {
    connect: ({ credential: apiKey, ...options }) => new WebSearchToolkit({ provider, apiKey, ...options }),
    credential: { option: "apiKey", environment: variablesOf[provider] },
    tools: {
      web_search: {
        effect: "pure",
        args: { query: "norway", maxResults: 5, timeRange: "week" },
        answer: () => recorded(`${provider}-results`),
        artifact: "search_hits",
        wrongArgs: [
          {},
          { query: "" },
          { query: "x".repeat(401) },
          { query: ["x"] },
          { query: "x", maxResults: 0 },
          { query: "x", maxResults: 11 },
          { query: "x", timeRange: "hour" },
          { query: "x", provider: "exa" },
        ],
      },
    },
  });
});
