import { describe, expect, it } from "vitest";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { each, makeNode, ScheduleNode, start } from "./test/schedule-node.ts";

const minuteMs = 60_000;
const { request } = each;

describe("a schedule", () => {
  it("begins a run at each of its times, and none before", async () => {
    const { schedules, passAt, begun, history } = makeNode();
    await schedules.put(each);
    for (const minutes of [9.99, 10, 10, 15, 20]) await passAt(minutes);

    expect(begun()).toEqual([10, 20]);
    expect(await history()).toEqual(["begun 20", "begun 10"]);
    expect((await schedules.get("each")).nextAt).toBe(start + 30 * minuteMs);
  });

  it("begins one run at a time that several processes find due at once", async () => {
    const { runs, storage, clock, schedules } = makeNode();
    await schedules.put(each);
    clock.now += 10 * minuteMs;
    const nodes = [1, 2, 3].map(() => new ScheduleNode({ storage, runs, now: () => clock.now }));
    await Promise.all(nodes.map(async ({ runner }) => await runner.pass()));

    expect(runs.begun).toEqual([`each ${clock.now}`]);
  });

  it("a schedule of one time begins once, is ended, and is removed after the time for which ended runs are kept", async () => {
    const { schedules, passAt, begun } = makeNode();
    await schedules.put({ id: "once", at: start + 5 * minuteMs, request });
    await passAt(5);
    await passAt(6);

    expect(begun()).toEqual([5]);
    expect(await schedules.get("once")).toMatchObject({ status: "ended", history: [{ status: "begun" }] });
    const weekMinutes = 7 * 24 * 60;
    await passAt(5 + weekMinutes - 1);
    expect(await schedules.list()).toHaveLength(1);
    await passAt(5 + weekMinutes);
    expect(await schedules.list()).toEqual([]);
  });

  it("delays its times by its jitter, and names them by the times without it", async () => {
    const { runs, storage, clock, node, schedules } = makeNode();
    await schedules.put({ ...each, jitterMs: 5 * minuteMs });
    const [entry] = await storage.list("schedule-due");
    const dueAt = Number(entry?.key.split("/")[0]);
    clock.now = dueAt - 1;
    await node.runner.pass();
    expect(runs.begun).toEqual([]);
    clock.now = dueAt;
    await node.runner.pass();

    expect(dueAt).toBeGreaterThan(start + 10 * minuteMs);
    expect(runs.begun).toEqual([`each ${start + 10 * minuteMs}`]);
  });

  it("keeps its last 20 settled times", async () => {
    const { schedules, passAt, history } = makeNode();
    await schedules.put(each);
    for (let minutes = 10; minutes <= 210; minutes += 10) await passAt(minutes);

    expect(await history()).toHaveLength(20);
    expect((await history())[0]).toBe("begun 210");
  });
});

describe("a time at which the previous run is not over", () => {
  it("is skipped", async () => {
    const { runs, schedules, passAt, begun, history } = makeNode();
    runs.staysOpen = true;
    await schedules.put(each);
    for (const minutes of [10, 20]) await passAt(minutes);
    runs.open.clear();
    await passAt(30);

    expect(begun()).toEqual([10, 30]);
    expect(await history()).toEqual(["begun 30", "skipped 20", "begun 10"]);
  });

  it("waits with queue, in order, up to the bound, beyond which times are skipped", async () => {
    const { runs, schedules, passAt, begun, history } = makeNode();
    runs.staysOpen = true;
    await schedules.put({ ...each, overlap: "queue", maxMissed: 2 });
    for (const minutes of [10, 20, 30, 40]) await passAt(minutes);
    expect((await schedules.get("each")).pending).toEqual([20, 30].map((minutes) => start + minutes * minuteMs));
    for (const minutes of [41, 42]) {
      runs.open.clear();
      await passAt(minutes);
    }

    expect(begun()).toEqual([10, 20, 30]);
    expect(await history()).toEqual(["begun 30", "begun 20", "skipped 40", "begun 10"]);
  });

  it("begins with cancel-running, once the previous run is cancelled", async () => {
    const { runs, schedules, passAt, begun } = makeNode();
    runs.staysOpen = true;
    await schedules.put({ ...each, overlap: "cancel-running" });
    for (const minutes of [10, 20]) await passAt(minutes);

    expect(begun()).toEqual([10, 20]);
    expect(runs.cancelled).toHaveLength(1);
    expect(runs.open.size).toBe(1);
  });
});

describe("times that are late", () => {
  it.each([
    ["skip", 45, [], ["missed 10-40"]],
    ["skip", 41, [40], ["begun 40", "missed 10-30"]],
    ["one", 45, [40], ["begun 40", "missed 10-30"]],
    ["one", 41, [40], ["begun 40", "missed 10-30"]],
    ["all", 45, [20, 30, 40], ["begun 40", "begun 30", "begun 20", "missed 10"]],
    ["all", 35, [10, 20, 30], ["begun 30", "begun 20", "begun 10"]],
  ] as const)("are treated as missed: %s says, after %i minutes", async (...[missed, minutes, begins, events]) => {
    const { schedules, passAt, begun, history } = makeNode();
    await schedules.put({ ...each, missed, maxMissed: 3 });
    await passAt(minutes);

    expect(begun()).toEqual(begins);
    expect(await history()).toEqual(events);
  });

  it("are missed from a minute on, and not before", async () => {
    for (const [lateMs, count] of [
      [minuteMs, 1],
      [minuteMs + 1, 0],
    ] as const) {
      const { schedules, passAt, begun } = makeNode();
      await schedules.put({ ...each, missed: "skip" });
      await passAt(10 + lateMs / minuteMs);

      expect(begun()).toHaveLength(count);
    }
  });

  it("times that are late of years are one, with one change of the schedule", async () => {
    const { schedules, passAt, begun, history } = makeNode();
    await schedules.put({ ...each, everyMs: 1000 });
    await passAt(3 * 365 * 24 * 60);

    // All times of the last minute are in time; 10 of them may wait.
    expect(begun()).toHaveLength(10);
    expect((await history()).at(-1)).toMatch(/^missed|^skipped/);
  });
});

describe("a paused schedule", () => {
  it("begins nothing, also of what waited, and goes on with its next time", async () => {
    const { runs, schedules, passAt, begun, history } = makeNode();
    runs.staysOpen = true;
    await schedules.put({ ...each, overlap: "queue" });
    for (const minutes of [10, 20]) await passAt(minutes);
    expect(await schedules.pause("each")).toMatchObject({ status: "paused", pending: [] });
    runs.open.clear();
    for (const minutes of [21, 30, 45]) await passAt(minutes);
    expect(begun()).toEqual([10]);
    expect(await schedules.resume("each")).toMatchObject({ status: "active", nextAt: start + 50 * minuteMs });
    await passAt(50);

    expect(begun()).toEqual([10, 50]);
    expect(await history()).toEqual(["begun 50", "skipped 20", "begun 10"]);
  });

  it("stays paused when it is put again, and keeps its one time until it goes on", async () => {
    const { schedules, passAt, begun } = makeNode();
    const once = { id: "once", at: start + minuteMs, request };
    await schedules.put(once);
    await schedules.pause("once");
    expect(await schedules.put(once)).toMatchObject({ status: "paused" });
    await passAt(2);
    expect(begun()).toEqual([]);
    await schedules.resume("once");
    await passAt(2);

    expect(begun()).toEqual([1]);
  });
});

describe("a run that cannot be accepted", () => {
  it("is tried again while that may help, and begins later", async () => {
    const { runs, schedules, passAt, begun, history } = makeNode();
    await schedules.put(each);
    runs.failure = new TroupeError("rate_limited", "Too many runs.");
    await passAt(10);
    expect(await history()).toEqual([]);
    runs.failure = undefined;
    await passAt(10.1);

    expect(begun()).toEqual([10]);
  });

  it.each(["not_found", "invalid_request"] as const)(
    "a run that cannot be accepted with %s is a failure in the history",
    async (code) => {
      const { runs, schedules, passAt } = makeNode();
      await schedules.put(each);
      runs.failure = new TroupeError(code, "There is no such agent.");
      await passAt(10);

      expect((await schedules.get("each")).history).toMatchObject([{ status: "failed", error: { code } }]);
    },
  );

  it("a run that another request has begun for the same time counts as begun", async () => {
    const { runs, schedules, passAt, history } = makeNode();
    await schedules.put(each);
    runs.failure = new TroupeError("idempotency_mismatch", "Another request.");
    await passAt(10);

    expect(await history()).toEqual(["begun 10"]);
  });

  it("is given up after a day", async () => {
    const { runs, schedules, passAt, history } = makeNode();
    await schedules.put({ id: "each", at: start + 10 * minuteMs, request });
    runs.failure = new TroupeError("unavailable", "Not now.");
    for (const minutes of [10, 10 + 24 * 60 - 1]) await passAt(minutes);
    expect(await history()).toEqual([]);
    await passAt(10 + 24 * 60);

    expect(await history()).toEqual(["failed 10"]);
  });
});
