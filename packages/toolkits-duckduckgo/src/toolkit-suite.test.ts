import { toolkitSuite } from "@troupe-internal/toolkit-fakes";
import { describe, it } from "vitest";
import { answerWith } from "../test/duckduckgo.ts";
import { DuckDuckGoToolkit } from "./index.ts";

const wrongArgs = [
  {},
  { query: "" },
  { query: "x".repeat(401) },
  { query: 1 },
  { query: "x", maxResults: 0 },
  { query: "x", maxResults: 11 },
  { query: "x", timeRange: "century" },
  { query: "x", page: 2 },
];
const sample = { effect: "pure", answer: answerWith(), artifact: "search_hits", wrongArgs } as const;

describe("DuckDuckGoToolkit", () => {
  toolkitSuite(it, {
    connect: (options) => new DuckDuckGoToolkit(options),
    tools: {
      duckduckgo_search: { ...sample, args: { query: "node", maxResults: 2, timeRange: "year" } },
      duckduckgo_news: { ...sample, args: { query: "oslo", timeRange: "day" } },
    },
    problems: {
      "status 403": "blocked",
      "a web page with status 403": "blocked",
      "status 418": "blocked",
      "status 429": "blocked",
      "status 429 with a time to wait": "blocked",
      "status 429 whose body breaks off": "blocked",
    },
  });
});
