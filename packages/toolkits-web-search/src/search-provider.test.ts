import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { exa } from "./exa.ts";
import { toHits } from "./search-provider.ts";
import { serpapi } from "./serpapi.ts";
import { tavily } from "./tavily.ts";

const access = { baseURL: "https://s.example", key: "k&1" };
const reply = (status: number, body: unknown) => ({ status, json: () => body, tryJson: () => body }) as never;

beforeEach(() => void vi.useFakeTimers({ now: Date.parse("2026-11-20T10:00:00Z"), toFake: ["Date"] }));
afterEach(() => void vi.useRealTimers());

describe("the request of a search", () => {
  it.each([
    [undefined, undefined],
    ["day" as const, "2026-11-19T10:00:00.000Z"],
    ["week" as const, "2026-11-13T10:00:00.000Z"],
    ["month" as const, "2026-10-20T10:00:00.000Z"],
    ["year" as const, "2025-11-19T10:00:00.000Z"],
  ])("asks Exa for the last %s by the time %s", (timeRange, startPublishedDate) => {
    const { body, ...request } = exa.request({ query: "q", count: 3, timeRange }, access);

    expect(request).toEqual({
      url: "https://s.example/search",
      method: "POST",
      headers: { "x-api-key": "k&1", "content-type": "application/json" },
    });
    expect(JSON.parse(body ?? "")).toEqual({
      query: "q",
      numResults: 3,
      type: "auto",
      contents: { text: { maxCharacters: 600 } },
      ...(startPublishedDate !== undefined && { startPublishedDate }),
    });
  });

  it.each([
    [undefined, ""],
    ["day" as const, "&tbs=qdr%3Ad"],
    ["year" as const, "&tbs=qdr%3Ay"],
  ])("asks SerpAPI for the last %s in its address", (timeRange, range) => {
    expect(serpapi.request({ query: "a b", count: 3, timeRange }, access)).toEqual({
      url: `https://s.example/search.json?engine=google&q=a+b&output=json${range}&api_key=k%261`,
    });
  });

  it.each([
    [undefined, {}],
    ["week" as const, { time_range: "week" }],
  ])("asks Tavily for the last %s", (timeRange, range) => {
    const { body, headers } = tavily.request({ query: "q", count: 3, timeRange }, access);

    expect(headers).toEqual({ authorization: "Bearer k&1", "content-type": "application/json" });
    expect(JSON.parse(body ?? "")).toEqual({ query: "q", max_results: 3, search_depth: "basic", ...range });
  });
});

describe("an error status", () => {
  it.each([
    [429, undefined],
    [431, undefined],
    [432, { problem: "quota_exceeded" }],
    [433, { problem: "quota_exceeded" }],
    [434, undefined],
  ])("an error status of Tavily, %i, means %j", (status, meaning) => {
    expect(tavily.explain(reply(status, {}))).toEqual(meaning);
  });

  it.each([
    [429, { error: "Your account has run out of searches." }, { problem: "quota_exceeded" }],
    [429, { error: "Too many requests" }, undefined],
    [429, null, undefined],
    [429, { error: 5 }, undefined],
    [400, { error: "Your account has run out of searches." }, undefined],
  ])("an error status of SerpAPI, %i with %j, means %j", (status, body, meaning) => {
    expect(serpapi.explain(reply(status, body))).toEqual(meaning);
  });

  it("an error status of Exa has no meaning of its own", () => {
    expect(exa.explain(reply(429, {}))).toBeUndefined();
  });
});

describe("the facts of a provider", () => {
  it.each([
    [exa, "Exa", "https://api.exa.ai", ["EXA_API_KEY"], 20],
    [serpapi, "SerpAPI", "https://serpapi.com", ["SERPAPI_API_KEY"], 10],
    [tavily, "Tavily", "https://api.tavily.com", ["TAVILY_API_KEY"], 20],
  ])("%o are these", (...[provider, name, baseURL, environment, mostResults]) => {
    expect(provider).toMatchObject({ name, baseURL, environment, mostResults });
  });
});

describe("toHits", () => {
  const raw = { title: "T", url: "https://e.x/a", snippet: "S" };

  it.each<[unknown, object]>([
    [0.1234, { score: 0.123 }],
    [0.0005, { score: 0.001 }],
    [0, { score: 0 }],
    [Number.NaN, {}],
    [Infinity, {}],
    ["0.5", {}],
    [undefined, {}],
  ])("rounds the score %j to thousandths", (score, more) => {
    expect(toHits({ ...raw, score })).toStrictEqual([{ ...raw, ...more }]);
  });

  it("is nothing without a web address", () => {
    expect(toHits({ ...raw, url: "ftp://e.x", score: 1 })).toEqual([]);
  });
});
