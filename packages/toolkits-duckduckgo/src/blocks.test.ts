import type { ServiceReply } from "@troupe-internal/toolkit";
import { describe, expect, it } from "vitest";
import { blocked, explain, isBlocked } from "./blocks.ts";

const replyOf = (status: number, text = "") => ({ status, text }) as ServiceReply;

describe("isBlocked", () => {
  it.each([
    [200, "", false],
    [202, "", true],
    [302, "", false],
    [400, "", false],
    [401, "", false],
    [403, "", true],
    [404, "", false],
    [418, "", true],
    [429, "", true],
    [500, "", false],
    [503, "", false],
    [200, '<div class="anomaly-modal">', true],
    [200, '<script src="/anomaly.js">', true],
    [200, "anomalyxjs", false],
    [200, '<form id="Challenge-Form">', true],
    [200, "Unfortunately, bots use DuckDuckGo too.", true],
    [200, "DDG detected an anomaly", true],
    [200, "an anomaly in a page about robots", false],
  ])("is of status %i with %j: %j", (status, text, expected) => {
    expect(isBlocked(replyOf(status, text))).toBe(expected);
  });
});

describe("explain", () => {
  it("says of a block that nothing is known, and what to use instead", () => {
    expect(explain(replyOf(403))).toBe(blocked);
    expect(explain(replyOf(500, "DDG detected an anomaly"))).toBe(blocked);
    expect(blocked).toEqual({
      problem: "blocked",
      happened: "blocked this automated request, so nothing is known of its results",
      advice: "Do not repeat it soon: use another search tool, such as web_search with Tavily, SerpAPI, Brave or Exa.",
    });
  });

  it("leaves other statuses to the words of services without a key", () => {
    expect(explain(replyOf(500))).not.toBe(blocked);
    expect(explain(replyOf(404))).not.toBe(blocked);
  });
});
