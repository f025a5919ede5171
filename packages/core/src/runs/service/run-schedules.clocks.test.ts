import { describe, expect, it } from "vitest";
import type { RunSchedule, ScheduleView } from "../schedules/schedule-record.ts";
import { BegunRuns, each, ScheduleNode, start } from "./test/schedule-node.ts";

const minuteMs = 60_000;
const tenMinutes = 10 * minuteMs;
const hourMs = 60 * minuteMs;

type Forms = Pick<RunSchedule, "everyMs" | "cron" | "timeZone">;
const { everyMs: _everyMs, ...plain } = each;

/** Returns the times, ten minutes apart, that a schedule's history shows as missed. */
function missedIn(view: ScheduleView | undefined): number[] {
  const events = view?.history.filter(({ status }) => status === "missed") ?? [];
  return events.flatMap(({ at, until = at }) =>
    Array.from({ length: (until - at) / tenMinutes + 1 }, (_, index) => at + index * tenMinutes),
  );
}

/** Plays six hours of two processes whose clocks differ by an hour, each of which serves in a part of the time. */
async function play(
  schedule: RunSchedule,
  { putBy, serves }: { putBy: 0 | 1; serves: (node: number, hour: number) => boolean },
) {
  const runs = new BegunRuns();
  const storage = runs.makeStorage();
  let now = start;
  const nodes = [0, hourMs].map((skewMs) => new ScheduleNode({ storage, runs, now: () => now + skewMs }));
  const schedules = nodes[putBy]?.schedules;
  await schedules?.put(schedule);
  const missed = new Set<number>();
  for (let minute = 0; minute < 360; minute += 2) {
    now = start + minute * minuteMs;
    const awake = nodes.filter((_, index) => serves(index, minute / 60));
    // A program stores its schedules again whenever it starts.
    if (minute % 50 === 0) await Promise.all(awake.map(async ({ schedules: own }) => await own.put(schedule)));
    // The order of the processes changes from time to time.
    await Promise.all((minute % 3 === 0 ? awake : awake.toReversed()).map(async ({ runner }) => await runner.pass()));
    // The history keeps the newest events alone.
    for (const time of missedIn(await schedules?.get(schedule.id))) missed.add(time);
  }
  const begun = runs.begun.map((key) => Number(key.split(" ").at(-1)));
  return { begun, missed: [...missed], next: (await schedules?.get(schedule.id))?.nextAt };
}

describe.each<[what: string, serves: (node: number, hour: number) => boolean]>([
  ["both serve", () => true],
  ["the first leaves", (node, hour) => node === 1 || hour < 2],
  ["the one that is ahead leaves", (node, hour) => node === 0 || hour < 2],
  ["the one that is ahead comes later", (node, hour) => node === 0 || hour > 2],
  ["they take turns", (node, hour) => Math.floor(hour) % 2 === node],
])("two processes whose clocks differ by an hour, if %s", (_what, serves) => {
  it.each<[form: string, given: Forms, stepMs: number]>([
    ["interval", { everyMs: tenMinutes }, tenMinutes],
    ["cron expression", { cron: "*/20 * * * *", timeZone: "Europe/Oslo" }, 20 * minuteMs],
  ])("begin each time of an %s once, and leave none out", async (_form, given, stepMs) => {
    for (const putBy of [0, 1] as const) {
      const all: RunSchedule = { ...plain, ...given, missed: "all", overlap: "queue" };
      const { begun, missed, next } = await play(all, { putBy, serves });
      const [first = NaN] = begun;
      expect(begun.length).toBeGreaterThan(10);
      expect(begun).toEqual(begun.map((_, index) => first + index * stepMs));
      expect(next).toBe(first + begun.length * stepMs);
      expect(missed).toEqual([]);
    }
  });

  it.each(["one", "skip"] as const)(
    "begin or record each time of a schedule once that misses with %j",
    async (missed) => {
      for (const putBy of [0, 1] as const) {
        const played = await play({ ...each, missed }, { putBy, serves });
        const times = [...played.begun, ...played.missed].toSorted((one, other) => one - other);
        const [first = NaN] = times;
        expect(times).toEqual(times.map((_, index) => first + index * tenMinutes));
        expect(new Set(played.begun).size).toBe(played.begun.length);
      }
    },
  );
});
