import { noUsage } from "@troupe/core/provider";
import { expect, it } from "vitest";
import { FakeResponse } from "../../test/fake-response.ts";
import { recordUsage, requestRecordOf } from "./request-record.ts";

it("is empty at first, one for each response, and the same each time", () => {
  const [first, second] = [new FakeResponse().asResponse, new FakeResponse().asResponse];
  const record = requestRecordOf(first);
  expect(record).toEqual({});
  record.runId = "r1";
  expect(requestRecordOf(first)).toBe(record);
  expect(requestRecordOf(second)).toEqual({});
});

it("is found by another copy of this package, under a name in the global registry", () => {
  const { asResponse } = new FakeResponse();
  const record = requestRecordOf(asResponse);
  expect((asResponse as unknown as Record<symbol, unknown>)[Symbol.for("troupe.http.record")]).toBe(record);
});

it("has the total tokens of the last usage that was noted, and keeps its other facts", () => {
  const { asResponse } = new FakeResponse();
  requestRecordOf(asResponse).name = "a";
  recordUsage(asResponse, { ...noUsage, promptTokens: 1, completionTokens: 2, totalTokens: 7 });
  expect(requestRecordOf(asResponse)).toEqual({ name: "a", tokens: 7 });
  recordUsage(asResponse, { ...noUsage, totalTokens: 0 });
  expect(requestRecordOf(asResponse)).toEqual({ name: "a", tokens: 0 });
});
