import { describe, expect, it } from "vitest";
import type { RunSchedule } from "../schedules/schedule-record.ts";
import { each, makeNode, ScheduleNode, start } from "./test/schedule-node.ts";

const minuteMs = 60_000;
const { request } = each;

describe("a schedule that is created with an idempotency key", () => {
  const { id: _id, ...fresh } = each;
  const keyed = { ...fresh, cron: undefined, idempotencyKey: "ä-1" };

  it("is one for its owner, however often it is asked for, also by several processes at once", async () => {
    const { runs, storage, clock, schedules } = makeNode();
    const other = new ScheduleNode({ storage, runs, now: () => clock.now }).schedules;
    const ada = { userId: "ada" };
    const made = await Promise.all([schedules, other, schedules].map(async (node) => await node.create(keyed, ada)));
    expect(new Set(made.map(({ id }) => id)).size).toBe(1);
    expect(await schedules.list(ada)).toHaveLength(1);
    const paused = await schedules.pause(made[0]?.id ?? "", ada);
    expect(await other.create(keyed, ada)).toEqual(paused);
    for (const caller of ["host", { userId: "bob" }] as const) {
      expect((await schedules.create(keyed, caller)).id).not.toBe(paused.id);
    }
    expect((await schedules.create(fresh, ada)).id).not.toBe((await schedules.create(fresh, ada)).id);
  });

  it("is refused with another content, and with a key of no length or too much", async () => {
    const { schedules } = makeNode();
    await schedules.create(keyed);
    const mismatch = { code: "idempotency_mismatch" };
    await expect(schedules.create({ ...keyed, jitterMs: 1 })).rejects.toMatchObject(mismatch);
    const changed = { ...keyed, request: { ...request, input: "Other." } };
    await expect(schedules.create(changed)).rejects.toMatchObject(mismatch);
    for (const idempotencyKey of ["", "x".repeat(256)]) {
      await expect(schedules.create({ ...keyed, idempotencyKey })).rejects.toMatchObject({ code: "invalid_request" });
    }
    expect(await schedules.create({ ...keyed, idempotencyKey: "x".repeat(255) })).toMatchObject({ status: "active" });
  });
});

describe("a schedule that is put again", () => {
  it("goes on with the same times, so that a restart of the program misses none", async () => {
    const { schedules, clock, passAt, begun, history } = makeNode();
    await schedules.put(each);
    clock.now = start + 15 * minuteMs;
    await schedules.put({ ...each, request: { ...request, input: "Other." } });
    await passAt(15);

    expect(begun()).toEqual([10]);
    expect(await history()).toEqual(["begun 10"]);
    expect((await schedules.get("each")).request.input).toBe("Other.");
  });

  it("begins again from now on with other times, and keeps its history", async () => {
    const { schedules, passAt, begun, history } = makeNode();
    await schedules.put(each);
    await passAt(10);
    await schedules.put({ ...each, everyMs: 7 * minuteMs });
    for (const minutes of [16, 17, 20]) await passAt(minutes);

    expect(begun()).toEqual([10, 17]);
    expect(await history()).toEqual(["begun 17", "begun 10"]);
  });

  it("begins no second run of a time that its predecessor has begun", async () => {
    const { schedules, clock, passAt, begun } = makeNode();
    const once: RunSchedule = { id: "once", at: start + minuteMs, request };
    await schedules.put(once);
    await passAt(1);
    await schedules.remove("once");
    clock.now = start;
    await schedules.put(once);
    await passAt(1);

    expect(begun()).toEqual([1]);
    expect(await schedules.get("once")).toMatchObject({ status: "ended" });
  });
});

describe("a change of a schedule", () => {
  it("changes what it names", async () => {
    const { schedules } = makeNode();
    await schedules.put({ ...each, id: "täglich", everyMs: undefined, cron: "0 8 * * *", timeZone: "Europe/Oslo" });
    await schedules.change("täglich", { timeZone: "Asia/Tokyo", overlap: "queue", input: "Ändere." });

    expect(await schedules.get("täglich")).toMatchObject({
      cron: "0 8 * * *",
      timeZone: "Asia/Tokyo",
      overlap: "queue",
      missed: "one",
      request: { ...request, input: "Ändere." },
      nextAt: start - 60 * minuteMs + 24 * 60 * minuteMs,
    });
    expect(await schedules.change("täglich", { everyMs: 5000 })).not.toHaveProperty("cron");
  });

  it.each([
    [{ at: 5, everyMs: 5000 }, "needs one of cron, everyMs and at, got 2"],
    [{ everyMs: 999 }, "everyMs"],
    [{ timeZone: "UTC" }, "timeZone goes with cron"],
    [{ isPaused: "yes" }, "isPaused"],
    [{ id: "other" }, "id"],
    [{ input: 5 }, ""],
  ])("is refused for %j", async (changes, message) => {
    const { schedules } = makeNode();
    await schedules.put(each);

    await expect(schedules.change("each", changes as object)).rejects.toMatchObject({
      code: "invalid_request",
      message: expect.stringContaining(message),
    });
  });
});

describe("what is no schedule", () => {
  it.each([
    ["an unknown runnable", { request: { ...request, name: "nobody" } }, "not_found"],
    ["a field that a schedule does not keep", { request: { ...request, keys: {} } }, "invalid_request"],
    ["an input that the runnable refuses", { request: { ...request, input: 5 } }, "invalid_request"],
    ["no times", { everyMs: undefined }, "invalid_request"],
    ["two kinds of times", { cron: "* * * * *" }, "invalid_request"],
    ["a time zone without cron", { timeZone: "UTC" }, "invalid_request"],
    ["a wrong expression", { everyMs: undefined, cron: "wrong" }, "invalid_request"],
    ["an expression without times", { everyMs: undefined, cron: "0 0 31 2,4 *" }, "invalid_request"],
    ["too short an interval", { everyMs: 999 }, "invalid_request"],
    ["too long a jitter", { jitterMs: 3_600_001 }, "invalid_request"],
    ["too many waiting times", { maxMissed: 101 }, "invalid_request"],
    ["an unknown overlap", { overlap: "allow" }, "invalid_request"],
    ["a long id", { id: "ä".repeat(43) }, "invalid_request"],
    ["a long request", { request: { ...request, input: "x".repeat(65_536) } }, "invalid_request"],
    ["a request that is none", { request: "Report." }, "invalid_request"],
  ])("is refused, and not kept: %s", async (_what, wrong, code) => {
    const { schedules, storage } = makeNode();

    await expect(schedules.put({ ...each, ...wrong } as RunSchedule)).rejects.toMatchObject({ code });
    expect(await schedules.list()).toEqual([]);
    expect(await storage.list("schedule-by")).toEqual([]);
  });

  it("is accepted at each bound", async () => {
    const { schedules } = makeNode();
    const most = { everyMs: 1000, jitterMs: 3_600_000, maxMissed: 100, id: "ä".repeat(42) };

    await expect(schedules.put({ ...each, ...most })).resolves.toMatchObject(most);
  });
});

describe("schedules of users", () => {
  const ada = { userId: "ada" };

  it("belong to their user, as do their runs", async () => {
    const { schedules } = makeNode();
    const view = await schedules.put(each, ada);

    expect(view.request.owner).toEqual(ada);
    expect(await schedules.list(ada)).toEqual([view]);
    expect(await schedules.list({ userId: "bob" })).toEqual([]);
    await expect(schedules.put(each, { userId: "bob" })).rejects.toMatchObject({ code: "conflict" });
    await expect(
      schedules.put({ ...each, id: "b", request: { ...request, owner: ada } }, { userId: "bob" }),
    ).rejects.toMatchObject({ code: "forbidden" });
    await expect(schedules.put({ ...each, id: "c" }, {})).rejects.toMatchObject({ code: "unauthorized" });
  });

  it("schedules of users of the host are for the host alone, even if they have no user", async () => {
    const { schedules } = makeNode();
    await schedules.put(each);

    for (const caller of [ada, {}]) {
      for (const call of ["get", "pause", "resume", "remove"] as const) {
        await expect(schedules[call]("each", caller)).rejects.toMatchObject({ code: "not_found" });
      }
    }
  });

  it("are bounded for each of them, also for requests at once, and not for the host", async () => {
    const { schedules } = makeNode({ maxPerOwner: 3 });
    const ids = ["a", "b", "c", "d", "e"];
    for (const id of ids.slice(0, 2)) await schedules.put({ ...each, id }, ada);
    const puts = await Promise.allSettled(ids.slice(2).map(async (id) => await schedules.put({ ...each, id }, ada)));
    expect((await schedules.list(ada)).length).toBeLessThanOrEqual(3);
    const refused = puts.filter(({ status }) => status === "rejected");
    expect(refused[0]).toMatchObject({ reason: { code: "rate_limited" } });
    for (const { id } of await schedules.list(ada)) await schedules.remove(id, ada);
    for (const id of ids.slice(0, 3)) await schedules.put({ ...each, id }, ada);

    await expect(schedules.put({ ...each, id: "d" }, ada)).rejects.toMatchObject({ code: "rate_limited" });
    await expect(schedules.put({ ...each, id: "a", everyMs: 5000 }, ada)).resolves.toBeDefined();
    await expect(schedules.put({ ...each, id: "d" }, { userId: "bob" })).resolves.toBeDefined();
    for (const id of ids) await schedules.put({ ...each, id: `host ${id}` });
    expect(await schedules.list()).toHaveLength(9);
  });

  it("are gone once the user is forgotten, and no others", async () => {
    const { schedules, storage } = makeNode();
    for (const [id, userId] of [
      ["a", "ada"],
      ["b", "ada"],
      ["c", "bob"],
    ] as const) {
      await schedules.put({ ...each, id }, { userId });
    }
    await schedules.forgetUser(ada);

    expect((await schedules.list()).map(({ id }) => id)).toEqual(["c"]);
    expect(await storage.list("schedule-by")).toHaveLength(1);
    expect(await storage.list("schedule-due")).toHaveLength(1);
  });
});
