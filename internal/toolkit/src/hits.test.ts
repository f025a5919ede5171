import { describe, expect, it } from "vitest";
import { cleanDate, toIsoTime, toSearchHit } from "./hits.ts";
import { toHitsResult } from "./index.ts";

const raw = { title: "<b>A</b>", url: "https://a.example/x", snippet: "B &amp; C" };

describe("toSearchHit", () => {
  it.each<[string, object, object | undefined]>([
    ["plain text", {}, { title: "A", url: raw.url, snippet: "B & C" }],
    ["a day", { date: "2026-11-21T08:00:00Z" }, { title: "A", url: raw.url, snippet: "B & C", date: "2026-11-21" }],
    ["no title", { title: " ", snippet: null }, { title: "a.example", url: raw.url, snippet: "" }],
    ["no address", { url: "javascript:alert(1)" }, undefined],
    ["an empty date", { date: "" }, { title: "A", url: raw.url, snippet: "B & C" }],
  ])("has %s", (_, more, expected) => {
    expect(toSearchHit({ ...raw, ...more })).toStrictEqual(expected);
  });

  it("is bounded", () => {
    const hit = toSearchHit({ ...raw, title: "t".repeat(300), snippet: "s".repeat(900) });

    expect([hit?.title.length, hit?.snippet.length]).toEqual([200, 500]);
  });
});

it.each<[unknown, string]>([
  ["2026-11-21", "2026-11-21"],
  ["2026-11-21 08:00", "2026-11-21"],
  ["2026-11-21x", "2026-11-21x"],
  ["2026-13-41", "2026-13-41"],
  ["on 2026-11-21", "on 2026-11-21"],
  [" 2 days  ago", "2 days ago"],
  [7, ""],
])("reads the date %j as %j", (date, expected) => {
  expect(cleanDate(date)).toBe(expected);
});

it.each<[unknown, string | undefined]>([
  [0, "1970-01-01T00:00:00Z"],
  [1.9, "1970-01-01T00:00:01Z"],
  [253_402_300_799, "9999-12-31T23:59:59Z"],
  [253_402_300_800, undefined],
  [-1, undefined],
  [Number.NaN, undefined],
  ["0", undefined],
  [null, undefined],
])("reads the seconds %j as %j", (seconds, expected) => {
  expect(toIsoTime(seconds)).toBe(expected);
});

describe("toHitsResult", () => {
  const hits = [{ a: 1, b: undefined }, { a: 2 }];
  const artifact = (data: object) => [{ type: "search_hits", mimeType: "application/json", data }];

  it.each<[string, object, object, object]>([
    [
      "hits",
      { query: "q" },
      { results: [{ a: 1 }, { a: 2 }] },
      { service: "S", query: "q", hits: [{ a: 1 }, { a: 2 }] },
    ],
    [
      "a remark",
      { note: "More." },
      { results: [{ a: 1 }, { a: 2 }], note: "More." },
      { service: "S", hits: [{ a: 1 }, { a: 2 }] },
    ],
    [
      "no hit",
      { hits: [] },
      { results: [], note: "S found nothing for this query. Try fewer or other words." },
      { service: "S", hits: [] },
    ],
    [
      "no hit, and a remark",
      { hits: [], note: "None now." },
      { results: [], note: "None now." },
      { service: "S", hits: [] },
    ],
  ])("shows %s", (_, ...[more, content, data]) => {
    expect(toHitsResult({ service: "S", hits, ...more })).toStrictEqual({ content, artifacts: artifact(data) });
  });
});
