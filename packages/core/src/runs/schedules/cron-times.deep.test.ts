import fc from "fast-check";
import { describe, expect, inject, it } from "vitest";
import { CronTimes } from "./cron-times.ts";

/** Returns the first times of an expression after a moment, as `MM-DDTHH:MM` in universal time. */
function timesOf(cron: string, timeZone: string, { after, count }: { after: string; count: number }): string[] {
  const times = new CronTimes(cron, timeZone);
  const found: string[] = [];
  let last: number | null = Date.parse(after);
  while (found.length < count) {
    last = times.next(last);
    if (last === null) break;
    found.push(new Date(last).toISOString().slice(5, 16));
  }
  return found;
}

describe("the times of a cron expression", () => {
  it.each([
    ["30 8 * * *", "2027-01-31T09:00:00Z", ["02-01T08:30", "02-02T08:30"]],
    ["*/20 * * * *", "2027-01-31T23:20:00Z", ["01-31T23:40", "02-01T00:00"]],
    ["5/20 0 * * *", "2027-01-31T00:05:00Z", ["01-31T00:25", "01-31T00:45"]],
    ["0 0 1,15 jan-mar *", "2027-03-01T00:00:00Z", ["03-15T00:00", "01-01T00:00"]],
    ["0 8 * * MON-fri", "2027-01-01T08:00:00Z", ["01-04T08:00", "01-05T08:00"]],
    ["0 8 * * 7", "2027-01-01T08:00:00Z", ["01-03T08:00", "01-10T08:00"]],
    ["0 8 * * 5-7", "2027-01-01T08:00:00Z", ["01-02T08:00", "01-03T08:00"]],
    ["0 8 13 * 5", "2027-01-01T08:00:00Z", ["01-08T08:00", "01-13T08:00"]],
    ["0 8 */2 * 1", "2027-01-01T08:00:00Z", ["01-11T08:00", "01-25T08:00"]],
    ["0 0 29 2 *", "2027-03-01T00:00:00Z", ["02-29T00:00", "02-29T00:00"]],
    ["0 0 31 * *", "2027-01-31T00:00:00Z", ["03-31T00:00", "05-31T00:00"]],
  ])("%s are those of the calendar", (cron, after, expected) => {
    expect(timesOf(cron, "UTC", { after, count: 2 })).toEqual(expected);
  });

  it("have seconds with six fields, and none of its own second again", () => {
    const times = new CronTimes("*/15 59 23 * * *", "UTC");

    expect(times.next(Date.UTC(2027, 0, 1, 23, 59, 15))).toBe(Date.UTC(2027, 0, 1, 23, 59, 30));
    expect(times.next(Date.UTC(2027, 0, 1, 23, 59, 29, 999))).toBe(Date.UTC(2027, 0, 1, 23, 59, 30));
    expect(times.next(Date.UTC(2027, 0, 1, 23, 59, 45))).toBe(Date.UTC(2027, 0, 2, 23, 59, 0));
  });

  it("are those of another year, however far", () => {
    const times = new CronTimes("0 0 29 2 *", "America/New_York");

    expect(times.next(Date.UTC(2096, 2, 1))).toBe(Date.UTC(2104, 1, 29, 5));
    expect(new CronTimes("0 0 31 2,4 *", "UTC").next(0)).toBeNull();
  });

  it.each([
    ["Asia/Kolkata", "02:30"],
    ["UTC", "08:00"],
    ["Australia/Lord_Howe", "21:00"],
    ["-03:30", "11:30"],
  ])("are by the clock of their time zone, %s", (timeZone, time) => {
    expect(timesOf("0 8 * * *", timeZone, { after: "2027-01-01T12:00:00Z", count: 1 })[0]).toContain(time);
  });
});

describe("the times of a cron expression when clocks are put forward", () => {
  const after = "2027-03-28T00:15:00Z";

  it("begin together at that moment, if they are skipped", () => {
    expect(timesOf("30 2 * * *", "Europe/Berlin", { after, count: 2 })).toEqual(["03-28T01:00", "03-29T00:30"]);
    expect(timesOf("15,45 2 * * *", "Europe/Berlin", { after, count: 2 })).toEqual(["03-28T01:00", "03-29T00:15"]);
    expect(timesOf("30 2,3 * * *", "Europe/Berlin", { after, count: 2 })).toEqual(["03-28T01:00", "03-28T01:30"]);
    expect(timesOf("0 2 14 3 *", "America/New_York", { after: "2027-03-14T00:00:00Z", count: 1 })).toEqual([
      "03-14T07:00",
    ]);
  });

  it("are those of real time, if there are times in every hour", () => {
    expect(timesOf("30 * * * *", "Europe/Berlin", { after, count: 3 })).toEqual([
      "03-28T00:30",
      "03-28T01:30",
      "03-28T02:30",
    ]);
  });

  it("are found if midnight is skipped, or a whole day", () => {
    expect(timesOf("0 0 * * *", "America/Sao_Paulo", { after: "2018-11-03T12:00:00Z", count: 2 })).toEqual([
      "11-04T03:00",
      "11-05T02:00",
    ]);
    expect(timesOf("0 8 * * 5", "Pacific/Apia", { after: "2011-12-24T12:00:00Z", count: 2 })).toEqual([
      "12-30T10:00",
      "01-05T18:00",
    ]);
  });
});

describe("the times of a cron expression when clocks are put back", () => {
  const after = "2027-10-30T23:45:00Z";

  it("begin the first time only, if they occur twice", () => {
    expect(timesOf("30 2 * * *", "Europe/Berlin", { after, count: 2 })).toEqual(["10-31T00:30", "11-01T01:30"]);
    expect(timesOf("0 */2 * * *", "Europe/Berlin", { after, count: 2 })).toEqual(["10-31T00:00", "10-31T03:00"]);
    expect(timesOf("0 1 7 11 *", "America/New_York", { after: "2027-11-01T00:00:00Z", count: 1 })).toEqual([
      "11-07T05:00",
    ]);
    expect(timesOf("45 1 * 4 0", "Australia/Lord_Howe", { after: "2027-04-03T00:00:00Z", count: 2 })).toEqual([
      "04-03T14:45",
      "04-10T15:15",
    ]);
  });

  it("are those of real time, if there are times in every hour", () => {
    expect(timesOf("30 * * * *", "Europe/Berlin", { after, count: 3 })).toEqual([
      "10-31T00:30",
      "10-31T01:30",
      "10-31T02:30",
    ]);
  });
});

const zones = [
  "Europe/Berlin",
  "America/New_York",
  "Australia/Lord_Howe",
  "Africa/Casablanca",
  "America/Santiago",
  "UTC",
];

it("each local time of an expression is due once in the weeks of a change, by a scan of all minutes", () => {
  const field = (most: number) => fc.uniqueArray(fc.integer({ min: 0, max: most }), { minLength: 1, maxLength: 3 });
  const starts = ["2027-03-26", "2027-10-29", "2027-03-12", "2027-11-05", "2027-04-02", "2027-09-03", "2027-02-05"];
  const anything = fc.record({
    minutes: field(59),
    hours: field(4),
    zone: fc.constantFrom(...zones),
    start: fc.constantFrom(...starts),
  });
  fc.assert(
    fc.property(anything, ({ minutes, hours, zone, start }) => {
      const from = Date.parse(start);
      const end = from + 4 * 86_400_000;
      const times = new CronTimes(`${minutes.join(",")} ${hours.join(",")} * * *`, zone);
      const found: number[] = [];
      for (let time = times.next(from); time !== null && time < end; time = times.next(time)) found.push(time);

      expect(found).toEqual(
        scan({ from, end, zone, isDue: (hour, minute) => hours.includes(hour) && minutes.includes(minute) }),
      );
    }),
    { seed: 43_001, numRuns: { few: 8, many: 40 }[inject("trials")] },
  );
});

type Scan = { from: number; end: number; zone: string; isDue: (hour: number, minute: number) => boolean };

/** Finds due times minute by minute: the first time that a local time is shown, or the minute that jumps over it. */
function scan({ from, end, zone, isDue }: Scan): number[] {
  const format = new Intl.DateTimeFormat("sv-SE", { timeZone: zone, dateStyle: "short", timeStyle: "short" });
  const toLocal = (time: number): number => Date.parse(`${format.format(time).replace(" ", "T")}Z`);
  const seen = new Set<number>();
  const found: number[] = [];
  let last = toLocal(from - 86_400_000) - 60_000;
  for (let time = from - 86_400_000; time < end; time += 60_000) {
    const local = toLocal(time);
    let hasDue = false;
    for (let each = Math.min(local, last + 60_000); each <= local; each += 60_000) {
      if (seen.has(each)) continue;
      seen.add(each);
      hasDue ||= isDue(new Date(each).getUTCHours(), new Date(each).getUTCMinutes());
    }
    last = local;
    if (hasDue && time > from) found.push(time);
  }
  return found;
}

it.each([
  ["every day", "2 fields"],
  ["60 * * * *", "The minute"],
  ["* 24 * * *", "The hour"],
  ["* * 0 * *", "The day of the month"],
  ["* * 32 * *", "The day of the month"],
  ["* * * 13 *", "The month"],
  ["* * * foo *", "The month"],
  ["* * * * 8", "The day of the week"],
  ["5-1 * * * *", "The minute"],
  ["*/0 * * * *", "The minute"],
  ["1, * * * *", "The minute"],
  ["-1 * * * *", "The minute"],
  ["60 * * * * *", "The second"],
  ["* * * * * * *", "7 fields"],
])("the expression %s is refused, with the field that is wrong", (cron, part) => {
  expect(() => new CronTimes(cron, "UTC")).toThrow(
    expect.objectContaining({ code: "invalid_request", message: expect.stringContaining(part) }),
  );
});

it("an unknown time zone is refused by its name", () => {
  expect(() => new CronTimes("* * * * *", "Europe/Óslo")).toThrow(
    expect.objectContaining({ code: "invalid_request", message: expect.stringContaining('"Europe/Óslo" is unknown') }),
  );
});
