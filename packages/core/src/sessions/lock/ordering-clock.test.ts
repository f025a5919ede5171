import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { OrderingClock } from "./ordering-clock.ts";

const now = 1_700_000_000_000;

beforeEach(() => void vi.useFakeTimers({ now, toFake: ["Date", "performance"] }));
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

/** Sets the finer clock to a time in milliseconds of the epoch. */
function finer(ms: number): void {
  vi.spyOn(performance, "now").mockReturnValue(ms - performance.timeOrigin);
}

it.each([
  ["the finer clock, which agrees", now + 1.25, now * 1000 + 1250],
  ["the finer clock, which is behind by less than two milliseconds", now - 1.5, now * 1000 - 1500],
  ["the system's clock, when the finer one is two milliseconds ahead", now + 2, now * 1000],
  ["the system's clock, when the finer one is two milliseconds behind", now - 2, now * 1000],
  ["the system's clock, when that was set anew", now - 3_600_000, now * 1000],
])("OrderingClock gives whole microseconds of the epoch by %s", (_which, ms, expected) => {
  finer(ms);
  const time = new OrderingClock().next();
  expect(Number.isInteger(time)).toBe(true);
  expect(Math.abs(time - expected)).toBeLessThanOrEqual(1);
});

it("OrderingClock gives no time twice, and none before an earlier one, also when the clocks stand or go back", () => {
  finer(now);
  const clock = new OrderingClock();
  const first = clock.next();
  expect([clock.next(), clock.next()]).toEqual([first + 1, first + 2]);
  vi.setSystemTime(now - 60_000);
  finer(now - 60_000);
  expect(clock.next()).toBe(first + 3);
});

it("OrderingClock gives a time after the one that it is told, and then goes on by its own", () => {
  finer(now);
  const clock = new OrderingClock();
  const first = clock.next();
  expect(clock.next(first + 5000)).toBe(first + 5001);
  expect(clock.next()).toBe(first + 2);
  expect(clock.next(first)).toBe(first + 3);
});
