import { beforeEach, expect, it, onTestFinished, vi } from "vitest";
import { RetryPauses } from "./run-sweep.ts";

beforeEach(() => {
  // In the middle: pauses are as long as they are written.
  vi.spyOn(Math, "random").mockReturnValue(0.5);
  onTestFinished(() => void vi.restoreAllMocks());
});

const take = (pauses: RetryPauses, runId: string, count: number): number[] =>
  Array.from({ length: count }, () => pauses.next(runId));

it("the pauses of a run grow to the last one, and begin again when it is forgotten; those of others do not count", () => {
  const pauses = new RetryPauses([100, 200, 500]);
  expect(take(pauses, "r", 5)).toEqual([100, 200, 500, 500, 500]);
  expect(take(pauses, "s", 2)).toEqual([100, 200]);
  pauses.forget("r");
  expect(take(pauses, "r", 2)).toEqual([100, 200]);
  expect(take(pauses, "s", 1)).toEqual([500]);
});

it.each([
  [0, 80],
  [0.999_999, 120],
])("a pause is a fifth longer or shorter at most: at %d it has %d ms", (random, pauseMs) => {
  vi.spyOn(Math, "random").mockReturnValue(random);
  expect(new RetryPauses([100]).next("r")).toBe(pauseMs);
});

it("a thousand runs are remembered: of those, the one that came last longest ago is forgotten first", () => {
  const pauses = new RetryPauses([100, 200, 300]);
  for (let run = 0; run < 1000; run++) pauses.next(`${run}`);
  expect(pauses.next("0")).toBe(200);
  pauses.next("one more");
  expect(pauses.next("0")).toBe(300);
  expect(pauses.next("1")).toBe(100);
});
