import { expect, it, onTestFinished, vi } from "vitest";
import type { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import type { RunSchedule } from "../schedules/schedule-record.ts";
import { BegunRuns, ScheduleNode } from "./test/schedule-node.ts";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const request = { kind: "agent", name: "a", input: "Report." } as const;

/** A generator of numbers from 0 to below 1 that look random: the same for each seed. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Three processes over one storage, whose clocks differ, and each of which ends again and again at some call. */
class Cluster {
  readonly runs = new BegunRuns();
  readonly storage: InMemoryStorage = this.runs.makeStorage();
  kills = 0;
  #now: number;
  readonly #random: () => number;
  readonly #nodes: ScheduleNode[];

  constructor(from: number, seed: number) {
    this.#now = from;
    this.#random = randomFrom(seed);
    // The monotonic clock goes with the clock of the day, so that entries of ended processes are removed.
    const spy = vi.spyOn(performance, "now").mockImplementation(() => this.#now);
    onTestFinished(() => spy.mockRestore());
    this.#nodes = [0, 1, 2].map((place) => this.#start(place));
  }

  #start(place: number): ScheduleNode {
    const { storage, runs } = this;
    const skewMs = (place - 1) * 20_000;
    const death = this.#random() < 0.5 ? "before it" : "after it";
    const atCall = 1 + Math.floor(this.#random() * 150);
    return new ScheduleNode({ storage, runs, now: () => this.#now + skewMs, death: { atCall, death } });
  }

  async put(schedule: RunSchedule): Promise<void> {
    const now = () => this.#now;
    await new ScheduleNode({ storage: this.storage, runs: this.runs, now }).schedules.put(schedule);
  }

  /** Lets time pass. Processes look at the schedules at random, together or alone, and sometimes not for hours. */
  async until(end: number, stepMs: number): Promise<void> {
    while (this.#now < end) {
      this.#now = Math.min(end, this.#now + stepMs * (0.5 + this.#random()));
      const awake = this.#nodes.filter(() => this.#random() < 0.6);
      await Promise.all(awake.map(async (node) => await node.runner.pass()));
      for (const [place, node] of this.#nodes.entries()) {
        if (!node.hasDied) continue;
        this.kills++;
        this.#nodes[place] = this.#start(place);
      }
    }
  }

  /** Lets other processes finish what is left. */
  async settle(): Promise<void> {
    const now = () => this.#now;
    const node = new ScheduleNode({ storage: this.storage, runs: this.runs, now });
    for (let round = 0; round < 3; round++) {
      this.#now += 10_000;
      await node.runner.pass();
    }
  }

  timesOf(id: string): number[] {
    return this.runs.begun.flatMap((key) => (key.startsWith(`${id} `) ? [Number(key.slice(id.length + 1))] : []));
  }
}

/** Returns the local date and time of a moment, as in `2027-03-28 02:30`. */
function localTime(timeZone: string): (time: number) => string {
  const format = new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short", timeStyle: "short" });
  return (time) => format.format(time);
}

function everyStep(from: number, end: number, stepMs: number): number[] {
  return Array.from({ length: Math.floor((end - from) / stepMs) }, (_, index) => from + (index + 1) * stepMs);
}

const sorted = (times: readonly number[]): number[] => times.toSorted((one, other) => one - other);

it.each([1, 2])(
  "a year with both changes of daylight saving begins each time once, with three processes that end at random (seed %i) [durable.crash-points]",
  { timeout: 120_000 },
  async (seed) => {
    const from = Date.UTC(2027, 0, 1, 12);
    const end = from + 365 * dayMs;
    const cluster = new Cluster(from, seed);
    const all = { request, missed: "all", maxMissed: 100, overlap: "queue" } as const;
    await cluster.put({
      ...all,
      id: "night in Berlin",
      cron: "30 2 * * *",
      timeZone: "Europe/Berlin",
      jitterMs: 600_000,
    });
    await cluster.put({ ...all, id: "even hours in New York", cron: "0 */2 * * *", timeZone: "America/New_York" });
    await cluster.put({ ...all, id: "each hour in New York", cron: "0 * * * *", timeZone: "America/New_York" });
    await cluster.put({ ...all, id: "every 6 h", everyMs: 6 * hourMs, jitterMs: hourMs });
    await cluster.put({ ...all, id: "once", at: Date.UTC(2027, 2, 28, 0, 59) });
    await cluster.until(end, hourMs);
    await cluster.settle();

    const { begun } = cluster.runs;
    expect(begun.length).toBe(new Set(begun).size);
    expect(cluster.kills).toBeGreaterThan(300);
    const nights = sorted(cluster.timesOf("night in Berlin")).map(localTime("Europe/Berlin"));
    expect(nights).toEqual(
      everyStep(Date.UTC(2027, 0, 1), Date.UTC(2028, 0, 1), dayMs).map((day) => {
        const date = new Date(day).toISOString().slice(0, 10);
        // 02:30 does not exist on this day: clocks go from 02:00 to 03:00.
        return `${date} ${date === "2027-03-28" ? "03:00" : "02:30"}`;
      }),
    );
    expect(sorted(cluster.timesOf("each hour in New York"))).toEqual(everyStep(from, end, hourMs));
    const even = sorted(cluster.timesOf("even hours in New York")).map(localTime("America/New_York"));
    const expected = everyStep(Date.UTC(2027, 0, 1, 6), Date.UTC(2028, 0, 1, 6), 2 * hourMs).map((local) => {
      const text = new Date(local).toISOString().slice(0, 16).replace("T", " ");
      // 02:00 does not exist on this day. On 7 November 01:00 exists twice, and 02:00 once.
      return text === "2027-03-14 02:00" ? "2027-03-14 03:00" : text;
    });
    expect(even).toEqual(expected);
    expect(sorted(cluster.timesOf("every 6 h"))).toEqual(
      everyStep(from, end, 6 * hourMs).slice(0, cluster.timesOf("every 6 h").length),
    );
    expect(cluster.timesOf("every 6 h").length).toBeGreaterThanOrEqual(365 * 4 - 1);
    expect(cluster.timesOf("once")).toEqual([Date.UTC(2027, 2, 28, 0, 59)]);
    // The entries of ended processes are gone: a schedule has one, and the schedule of one time was removed.
    expect(await cluster.storage.list("schedule-due")).toHaveLength(4);
    expect(await cluster.storage.list("schedules")).toHaveLength(4);
  },
);
