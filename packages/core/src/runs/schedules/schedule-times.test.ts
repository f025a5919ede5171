import { describe, expect, it } from "vitest";
import { cronTimes, jitterOf, lastTimes, nextTime } from "./schedule-times.ts";

const minuteMs = 60_000;
const everyMinute = { cron: "* * * * *", timeZone: "UTC", anchor: 0 } as const;

describe("the next time of a schedule", () => {
  it("counts intervals from the anchor, and has none before the first", () => {
    const times = { everyMs: 1000, anchor: 500 } as const;

    expect([0, 500, 1499, 1500, 1501].map((after) => nextTime(times, after))).toEqual([1500, 1500, 1500, 2500, 2500]);
  });

  it("is the only one of a schedule with one time", () => {
    expect([99, 100].map((after) => nextTime({ at: 100, anchor: 0 }, after))).toEqual([100, null]);
  });
});

describe("the last times of a schedule", () => {
  const day = Date.UTC(2027, 0, 1);

  it("are those of a range, with both ends", () => {
    const range = { from: day, to: day + 2 * minuteMs, count: 10 };

    expect(lastTimes(everyMinute, range)).toEqual([day, day + minuteMs, day + 2 * minuteMs]);
    expect(lastTimes(everyMinute, { ...range, count: 2 })).toEqual([day + minuteMs, day + 2 * minuteMs]);
    expect(lastTimes({ everyMs: minuteMs, anchor: day - minuteMs }, range)).toEqual([
      day,
      day + minuteMs,
      day + 2 * minuteMs,
    ]);
    expect(lastTimes({ at: day, anchor: 0 }, range)).toEqual([day]);
  });

  it("are found at once after years of times each second", () => {
    const times = { cron: "* * * * * *", timeZone: "Asia/Kathmandu", anchor: 0 } as const;
    const found = lastTimes(times, { from: 0, to: day, count: 200 });

    expect(found).toHaveLength(200);
    expect([found[0], found.at(-1)]).toEqual([day - 199_000, day]);
  });

  it("are none before the first interval", () => {
    expect(lastTimes({ everyMs: 1000, anchor: day }, { from: 0, to: day + 999, count: 5 })).toEqual([]);
  });
});

it("the jitter of a time is the same each time, differs among times, and stays below its bound", () => {
  const schedule = { id: "täglich", jitterMs: 1000 };
  const delays = Array.from({ length: 200 }, (_, time) => jitterOf(schedule, time));

  expect(delays).toEqual(Array.from({ length: 200 }, (_, time) => jitterOf(schedule, time)));
  expect(new Set(delays).size).toBeGreaterThan(150);
  expect(delays.every((delay) => Number.isInteger(delay) && delay >= 0 && delay < 1000)).toBe(true);
  expect(jitterOf({ ...schedule, jitterMs: 1 }, 5)).toBe(0);
  expect(jitterOf({ ...schedule, jitterMs: 0 }, 5)).toBe(0);
});

it("an expression is read once, and again after many others", () => {
  const first = cronTimes("* * * * *", "UTC");
  expect(cronTimes("* * * * *", "UTC")).toBe(first);
  for (let count = 0; count < 201; count++) cronTimes(`${count % 60} ${Math.floor(count / 60)} * * *`, "UTC");

  expect(cronTimes("* * * * *", "UTC")).not.toBe(first);
});
