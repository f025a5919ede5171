import { FakeResponse } from "@troupe-internal/fake-responses";
import { expect, it } from "vitest";
import { noUsage } from "../../base/message/token-usage.ts";
import { exchangeOf } from "./test/exchange-of.ts";
import { requestRecordOf } from "./request-record.ts";

it("RequestRecord is empty at first, one for each response, and the same each time", () => {
  const [first, second] = [new FakeResponse().asResponse, new FakeResponse().asResponse];
  const record = requestRecordOf(first);
  expect(record).toEqual({});
  record.runId = "r1";
  expect(requestRecordOf(first)).toBe(record);
  expect(requestRecordOf(second)).toEqual({});
});

it("RequestRecord is found by another copy of this package, under a name in the global registry", () => {
  const { asResponse } = new FakeResponse();
  const record = requestRecordOf(asResponse);
  expect((asResponse as unknown as Record<symbol, unknown>)[Symbol.for("troupe.http.record")]).toBe(record);
});

it("RequestRecord has the total tokens of the last usage that was noted, and keeps its other facts", () => {
  const response = new FakeResponse();
  const { asResponse } = response;
  const { exchange } = exchangeOf(response);
  requestRecordOf(asResponse).name = "a";
  const usage = { ...noUsage, promptTokens: 1, completionTokens: 2, totalTokens: 7 };
  exchange.recordUsage(usage);
  expect(requestRecordOf(asResponse)).toEqual({ name: "a", tokens: 7 });
  exchange.recordUsage({ ...noUsage, totalTokens: 0 });
  expect(requestRecordOf(asResponse)).toEqual({ name: "a", tokens: 0 });
});
