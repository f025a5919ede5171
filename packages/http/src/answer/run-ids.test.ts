import { createLogger } from "@troupe/core";
import { describe, expect, it } from "vitest";
import { FakeResponse } from "@troupe-internal/fake-responses";
import type { Exchange } from "@troupe/core/transport";
import { NodeExchange } from "@troupe/core/transport";
import type { NodeRequest } from "@troupe/core/transport";
import { pathOfRun, sendEarlyHints } from "./run-ids.ts";

/** A response that keeps its interim answers. */
class HintedResponse extends FakeResponse {
  readonly hints: unknown[] = [];

  override writeEarlyHints(hints?: unknown): void {
    this.hints.push(hints);
  }
}

function exchangeOf(response: HintedResponse, httpVersion: string, baseUrl = "/api"): Exchange {
  const request = { headers: {}, baseUrl, httpVersion } as unknown as NodeRequest;
  return new NodeExchange(request, response.asResponse, createLogger());
}

describe("pathOfRun", () => {
  it.each([
    ["", "r1", "/runs/r1"],
    ["/api/v1", "r1", "/api/v1/runs/r1"],
    ["/a%20b!$&'()*+,;=:@", "r", "/a%20b!$&'()*+,;=:@/runs/r"],
    ['/a b<c>"d"é', "r", "/a%20b%3Cc%3E%22d%22%C3%A9/runs/r"],
    ["/api", "a/b ?#%é", "/api/runs/a%2Fb%20%3F%23%25%C3%A9"],
  ])("pathOfRun of %j and %j is %j", (basePath, runId, expected) => {
    expect(pathOfRun(exchangeOf(new HintedResponse(), "1.1", basePath), runId)).toBe(expected);
  });
});

describe("sendEarlyHints", () => {
  const ids = { runId: "r/1", sessionId: "s" };

  it("sends the ids and the place of the cancel", () => {
    const response = new HintedResponse();
    sendEarlyHints(exchangeOf(response, "1.1"), ids);

    const link = "</api/runs/r%2F1/cancel>; rel=related";
    expect(response.hints).toEqual([{ link, "X-Run-Id": "r/1", "X-Session-Id": "s" }]);
  });

  it("sends nothing to HTTP/1.0, nor to a client that has left", () => {
    const old = new HintedResponse();
    sendEarlyHints(exchangeOf(old, "1.0"), ids);
    const left = new HintedResponse();
    left.leave();
    sendEarlyHints(exchangeOf(left, "1.1"), ids);

    expect([...old.hints, ...left.hints]).toEqual([]);
  });
});
