import { toolkitSuite } from "@troupe-internal/toolkit-fakes";
import { describe, it } from "vitest";
import { answer } from "../test/hacker-news.ts";
import { HackerNewsToolkit } from "./index.ts";

describe("HackerNewsToolkit", () => {
  toolkitSuite(it, {
    connect: (options) => new HackerNewsToolkit(options),
    tools: {
      hackernews_top_stories: {
        effect: "pure",
        args: { maxResults: 3 },
        answer,
        artifact: "search_hits",
        wrongArgs: [{ maxResults: 0 }, { maxResults: 11 }, { maxResults: "3" }, { query: "rust" }],
      },
      hackernews_user: {
        effect: "pure",
        args: { username: "jl" },
        answer,
        wrongArgs: [{}, { username: "" }, { username: "x".repeat(33) }, { username: 12 }, { username: "jl", more: 1 }],
      },
    },
  });
});
