import { EventEmitter } from "node:events";
import { createLogger } from "@troupe/core";
import type { Job, Queue, Worker } from "bullmq";
import { describe, expect, it } from "vitest";
import type { Backend } from "./backend.ts";
import { FailureLog } from "./engine-failure.ts";
import { scheduleQueueOf } from "./open-queue.ts";
import type { OpenQueue } from "./open-queue.ts";
import { QueueSchedules, serveSchedules } from "./queue-schedules.ts";

/** Schedules in a queue that keeps what it is asked, and answers as the function does. */
function schedulesIn(answer: () => unknown = () => ({ id: "job" }), stored: readonly object[] = []) {
  const asked: unknown[] = [];
  const queue = {
    upsertJobScheduler: async (...args: unknown[]) => {
      asked.push(args);
      return await Promise.resolve().then(answer);
    },
    removeJobScheduler: async (id: string) => await Promise.resolve(void asked.push(["remove", id])),
    getJobSchedulers: async () => await Promise.resolve(stored),
  } as unknown as Queue;
  return { asked, schedules: new QueueSchedules(async (work) => await work(queue)) };
}

const template = {
  name: "due",
  data: {},
  opts: { removeOnComplete: true, removeOnFail: true, attempts: 2000, backoff: { type: "fixed", delay: 30_000 } },
};

describe("the schedules of an engine", () => {
  it.each([
    [{ id: "a/b", everyMs: 5000 }, "a%2Fb", { every: 5000 }],
    [{ id: "é", cron: "0 9 * * *", timeZone: "Europe/Oslo" }, "%C3%A9", { pattern: "0 9 * * *", tz: "Europe/Oslo" }],
  ])("keep %j, whose failed times are tried again each 30 seconds for about a day", async (schedule, id, times) => {
    const { asked, schedules } = schedulesIn();
    await schedules.put(schedule);

    expect(asked).toEqual([[id, times, template]]);
  });

  it.each([
    [undefined, 'The cron expression "0 0 31 2 *" of a schedule has no times. Expected days that its months have.'],
    [
      new Error("Invalid day"),
      'The cron expression "0 0 31 2 *" of a schedule cannot be read. Expected five fields, or six with seconds first, and an IANA time zone.',
    ],
  ])("refuse a cron expression to which the queue answers %s", async (next, message) => {
    const { schedules } = schedulesIn(() => {
      if (next !== undefined) throw next;
    });
    const put = schedules.put({ id: "a", cron: "0 0 31 2 *", timeZone: "UTC" });

    await expect(put).rejects.toMatchObject({ code: "invalid_request", message });
  });

  it.each(["Connection terminated", "connect ECONNREFUSED", "timeout expired"])(
    "pass on a failure of the database: %s",
    async (message) => {
      const failure = new Error(message);
      const { schedules } = schedulesIn(async () => await Promise.reject(failure));
      await expect(schedules.put({ id: "a", everyMs: 1 })).rejects.toBe(failure);
    },
  );

  it("are listed with their own ids and times, and removed by their ids", async () => {
    const { asked, schedules } = schedulesIn(undefined, [
      { key: "a%2Fb", every: "5000" },
      { key: "c", pattern: "0 9 * * *", tz: "Europe/Oslo" },
      { key: "d", pattern: "0 9 * * *" },
    ]);

    expect(await schedules.list()).toEqual([
      { id: "a/b", everyMs: 5000 },
      { id: "c", cron: "0 9 * * *", timeZone: "Europe/Oslo" },
      { id: "d", cron: "0 9 * * *", timeZone: "UTC" },
    ]);
    await schedules.remove("a/b");
    expect(asked).toEqual([["remove", "a%2Fb"]]);
  });
});

describe("the due times of schedules", () => {
  function serve(onSchedule: (id: string, at: number) => Promise<void>) {
    const made: unknown[] = [];
    const lines: string[] = [];
    const worker = new EventEmitter();
    let process: (job: Job) => Promise<void> = async () => {};
    const makeWorker = (name: string, work: typeof process, settings: unknown): Worker => {
      process = work;
      made.push(name, settings);
      return worker as Worker;
    };
    const log = new FailureLog(createLogger({ level: "warn", color: false, write: (line) => lines.push(line) }));
    const backend = { makeWorker } as unknown as Backend;
    serveSchedules({ backend } as OpenQueue, { queue: "runs", onSchedule, log });
    return { made, lines, worker, due: async (job: object) => await process(job as Job) };
  }

  it("are those of the job's id, and not the time at which the job was made", async () => {
    const told: unknown[] = [];
    const { made, due } = serve(async (...args) => await Promise.resolve(void told.push(args)));
    await due({ id: "repeat:a%2Fb:1700000000000", repeatJobKey: "a%2Fb", timestamp: 1_699_999_990_000 });
    await due({ id: "repeat:c:1700000005000", repeatJobKey: "c", timestamp: 1_700_000_000_000 });

    expect(told).toEqual([
      ["a/b", 1_700_000_000_000],
      ["c", 1_700_000_005_000],
    ]);
    expect(made).toEqual([
      scheduleQueueOf("runs"),
      { concurrency: 10, maxStalledCount: 2 ** 31 - 1, stalledInterval: 10_000, runRetryDelay: 1000 },
    ]);
  });

  it("the due times of schedules that fail are failed jobs, and logged, as are failures of the queue", async () => {
    const failure = new Error("Not now.");
    const { lines, worker, due } = serve(async () => await Promise.reject(failure));
    await expect(due({ id: "repeat:a:1", repeatJobKey: "a" })).rejects.toBe(failure);
    worker.emit("error", new Error("Gone."));

    expect(lines).toHaveLength(2);
    expect(lines[0]).toContain("A due time of a schedule failed. It is tried again.");
    expect(lines[1]).toContain("The schedules of the engine failed.");
  });
});
