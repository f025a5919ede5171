import { RunError, TroupeError } from "@troupe/core";
import { describe, expect, it } from "vitest";
import { FakeResponse } from "../../test/fake-response.ts";
import type { Exchange } from "../exchange/exchange.ts";
import { requestRecordOf } from "../exchange/request-record.ts";
import type { RunRequest } from "../request/read-run-request.ts";
import type { RouterSettings } from "../settings/router-options.ts";
import { closeIfDraining, HttpRun } from "./http-run.ts";

/** A response that keeps its headers. */
class HeadedResponse extends FakeResponse {
  readonly headers: unknown[] = [];

  override setHeader(...header: unknown[]): this {
    this.headers.push(header);
    return this;
  }
}

/** Begins a run for a client, and keeps what its service is told. */
function begin({ onDisconnect = "cancel", endsWithClient = false, response = new HeadedResponse() } = {}) {
  const told: unknown[] = [];
  const { signal } = new AbortController();
  const run = {
    signal,
    fail: (thrown: unknown) => thrown,
    end: () => told.push("end"),
    disconnect: () => told.push("disconnect"),
  };
  const servedRuns = {
    isDraining: false,
    begin: (requested: unknown, policy: unknown) => {
      told.push([requested, policy]);
      return run;
    },
  };
  const runRequest = { query: { endsWithClient } } as unknown as RunRequest<unknown, unknown>;
  const exchange = { response: response.asResponse } as Exchange;
  const settings = { servedRuns, onDisconnect, heartbeatMs: 1 } as unknown as RouterSettings;
  return { http: new HttpRun(exchange, runRequest, settings), response, servedRuns, runRequest, told, signal };
}

const close = ["Connection", "close"];

describe("HttpRun", () => {
  it.each([
    ["cancel", false, true],
    ["continue", false, false],
    ["continue", true, true],
  ])("with onDisconnect %s, and %s in its query, ends with its client: %s", (onDisconnect, asked, endsWithClient) => {
    const { response, runRequest, told, http, signal } = begin({ onDisconnect, endsWithClient: asked });

    expect(told).toEqual([[runRequest, { endsWithClient, hasLeft: false }]]);
    expect(http.signal).toBe(signal);
    response.leave();
    expect(told.slice(1)).toEqual(endsWithClient ? ["disconnect"] : []);
  });

  it("is told of a client that has left before, and of none whose answer is whole", () => {
    const left = new HeadedResponse();
    left.destroyed = true;
    expect(begin({ response: left }).told).toMatchObject([[{}, { hasLeft: true }]]);

    const { response, told } = begin();
    response.writableFinished = true;
    response.leave();
    expect(told).toHaveLength(1);
  });

  it("closes its connection where a shutdown began meanwhile", () => {
    const { http, response, servedRuns, told } = begin();
    expect(response.headers).toEqual([]);

    servedRuns.isDraining = true;
    http.end();
    expect(told.at(-1)).toBe("end");
    expect(response.headers).toEqual([close]);
  });

  it("notes the tokens of a failed run, and returns its error", () => {
    const { http, response } = begin();
    const plain = new TroupeError("cancelled", "Over.");
    expect(http.fail(plain)).toBe(plain);
    expect(requestRecordOf(response.asResponse)).toEqual({});

    const output = { usage: { totalTokens: 7 } } as RunError["output"];
    const failed = new RunError("model_failed", "It broke.", { output });
    expect(http.fail(failed)).toBe(failed);
    expect(requestRecordOf(response.asResponse)).toEqual({ tokens: 7 });
  });
});

it.each([
  [true, false, [close]],
  [true, true, []],
  [false, false, []],
])("closes a connection while draining (%s) unless its head is sent (%s)", (isDraining, headersSent, expected) => {
  const response = Object.assign(new HeadedResponse(), { headersSent });
  const settings = { servedRuns: { isDraining } } as unknown as RouterSettings;
  closeIfDraining({ response: response.asResponse } as Exchange, settings);

  expect(response.headers).toEqual(expected);
});
