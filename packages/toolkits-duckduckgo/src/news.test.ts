import { describe, expect, it } from "vitest";
import { startDuckDuckGo } from "../test/duckduckgo.ts";
import { DuckDuckGoToolkit } from "./index.ts";
import type { DuckDuckGoOptions } from "./index.ts";

const articles = [
  {
    title: "Oslo opens a tram line",
    url: "https://news.example/oslo?a=1&b=2",
    snippet: "The capital of Norway & its trams.",
    date: "2026-11-01T00:00:00Z",
    source: "Example Times",
  },
  { title: "news.example", url: "https://news.example/second", snippet: "" },
];

describe("duckduckgo_news", () => {
  it.each(["news-page", "news-page-unquoted", "news-page-single"])(
    "returns articles, with the token of %s [duckduckgo.news]",
    async (page) => {
      const { service, call } = await startDuckDuckGo({ "/": page });
      const { content, artifacts } = await call("duckduckgo_news", { query: "oslo tram", timeRange: "month" });

      expect(content).toEqual({ results: articles });
      expect(artifacts).toMatchObject([{ type: "search_hits", data: { query: "oslo tram", hits: articles } }]);
      expect(service.requests.map(({ path, query }) => [path, Object.fromEntries(query)])).toEqual([
        ["/", { q: "oslo tram" }],
        [
          "/news.js",
          {
            l: "wt-wt",
            o: "json",
            noamp: "1",
            q: "oslo tram",
            vqd: "4-253089325137446190523",
            p: "-1",
            df: "m",
          },
        ],
      ]);
      expect(service.requests.map(({ headers }) => [headers["user-agent"], headers["accept-language"]])).toEqual([
        ["Mozilla/5.0 (compatible; troupe)", "en;q=0.5,*;q=0.1"],
        ["Mozilla/5.0 (compatible; troupe)", "en;q=0.5,*;q=0.1"],
      ]);
    },
  );

  it("returns no articles where DuckDuckGo says so [duckduckgo.no-results]", async () => {
    const { call } = await startDuckDuckGo({ "/news.js": "news-empty" });

    expect((await call("duckduckgo_news", { query: "qxzv" })).content).toMatchObject({ results: [] });
  });

  it.each([
    ["html-anomaly-202", "news"],
    ["html-anomaly-200", "news"],
    ["news-blocked-403", "news"],
    ["news-page", "news-blocked-403"],
    ["news-page", "html-anomaly-202"],
    ["news-page", "html-anomaly-200"],
    ["blank-202", "news"],
    ["news-page", "blank-202"],
    ["news-page", "teapot-418"],
    ["news-page", "too-many-429"],
  ])("reports a block, never no news: %s, %s [duckduckgo.blocked]", async (page, news) => {
    const { call } = await startDuckDuckGo({ "/": page, "/news.js": news });

    await expect(call("duckduckgo_news", { query: "oslo" })).rejects.toMatchObject({
      code: "forbidden",
      message: expect.stringMatching(/^DuckDuckGo blocked this automated request.*web_search/),
      fields: { problem: "blocked" },
    });
  });

  it("reports news that are a page of the web as such, after a page with a token", async () => {
    const { call } = await startDuckDuckGo({ "/news.js": "unknown-page" });

    await expect(call("duckduckgo_news", { query: "oslo" })).rejects.toMatchObject({
      message: expect.stringContaining("answered with a web page where JSON was expected") as unknown,
    });
  });

  it("reports a page without a token [duckduckgo.unknown-page]", async () => {
    const { call } = await startDuckDuckGo({ "/": "unknown-page" });

    await expect(call("duckduckgo_news", { query: "oslo" })).rejects.toMatchObject({
      message:
        "DuckDuckGo gave no token for a search of news (status 200). It may be a block: use another search tool.",
    });
  });
});

describe("the options of a DuckDuckGoToolkit", () => {
  it("turn its tools on and off [duckduckgo.config] [toolkit.get-tools]", () => {
    const names = (options: DuckDuckGoOptions) => new DuckDuckGoToolkit(options).getTools().map(({ name }) => name);

    expect(names({})).toEqual(["duckduckgo_search", "duckduckgo_news"]);
    expect(names({ enableSearch: false })).toEqual(["duckduckgo_news"]);
    expect(names({ enableNews: false })).toEqual(["duckduckgo_search"]);
  });

  it("are refused when they leave no tool, or are wrong or unknown [toolkit.no-tools] [duckduckgo.config]", () => {
    const make = (options: object) => () => new DuckDuckGoToolkit(options);

    expect(make({ enableSearch: false, enableNews: false })).toThrow(
      "DuckDuckGoToolkit has no tools, because enableSearch and enableNews are false.",
    );
    expect(make({ maxResults: 31 })).toThrow("maxResults must be an integer from 1 to 30, got 31.");
    expect(make({ maxResults: "5" })).toThrow("maxResults must be an integer from 1 to 30");
    for (const region of ["Germany", "us-english", "usa-en", " us-en", "us-en ", "us-en\n", "US-EN", "üs-en", ""])
      expect(make({ region })).toThrow('region must be a region of DuckDuckGo, like "us-en"');
    expect(make({ apiKey: "x" })).toThrow('Unknown option "apiKey" of DuckDuckGoToolkit.');
  });
});
