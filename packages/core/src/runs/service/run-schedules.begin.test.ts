import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createLogger } from "../../base/log/logger.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import type { ErrorCode } from "../../base/errors/troupe-error.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import type { RunSchedule, ScheduleRecord } from "../schedules/schedule-record.ts";
import { ScheduleRunner } from "../schedules/schedule-runner.ts";
import type { DueRun } from "../schedules/schedule-runner.ts";
import { ScheduleStore } from "../schedules/schedule-store.ts";
import { scheduledRunId } from "./accept-request.ts";
import { RunSchedules } from "./run-schedules.ts";
import { each, start } from "./test/schedule-node.ts";
import { scriptedAgent } from "./test/services.ts";

const minuteMs = 60_000;
const dayMs = 86_400_000;
const owner = { userId: "ünal" };

/** Makes a process with one schedule, which is due each ten minutes, and a clock in milliseconds after the start. */
async function scene(given: Partial<RunSchedule> = {}) {
  const random = vi.spyOn(Math, "random").mockReturnValue(0.5);
  onTestFinished(() => random.mockRestore());
  const clock = { ms: 0 };
  const now = () => start + clock.ms;
  const storage = new InMemoryStorage();
  const store = new ScheduleStore({ storage, keepMs: 7 * dayMs });
  const init = { store, registries: { agents: { a: scriptedAgent([]) } }, now, maxPerOwner: 20 };
  const schedules = new RunSchedules({ ...init, checkOpen: () => undefined, onChange: () => undefined });
  const accept = vi.fn<(run: DueRun) => Promise<unknown>>().mockResolvedValue(undefined);
  const isOpen = vi.fn<(runId: string) => Promise<boolean>>().mockResolvedValue(false);
  const cancel = vi.fn<(runId: string) => Promise<"cancelled" | "cancelling" | "over">>().mockResolvedValue("over");
  const lines: { level: string }[] = [];
  const logger = createLogger({ level: "warn", write: (line) => lines.push(JSON.parse(line) as { level: string }) });
  const runner = new ScheduleRunner({
    store,
    now,
    logger,
    toRunId: scheduledRunId,
    accept,
    isOpen,
    cancel,
    mayBegin: () => true,
  });
  const schedule = { ...each, ...given };
  await schedules.put(schedule, owner);
  /** Lets the process look at a time. Returns the number of runs that it tried to begin, and the pause until its next look. */
  const passAt = async (ms: number) => {
    clock.ms = ms;
    accept.mockClear();
    const waitMs = await runner.pass();
    return { begins: accept.mock.calls.length, waitMs };
  };
  const statuses = async () =>
    (await schedules.get("each")).history.toReversed().map(({ status, at }) => `${status} ${(at - start) / minuteMs}`);
  return { clock, storage, store, schedules, schedule, accept, isOpen, cancel, lines, runner, passAt, statuses };
}

const failure = (code: ErrorCode) => new TroupeError(code, "No.");
const due = 10 * minuteMs;
const idAt = (at: number) => scheduledRunId({ id: "each", owner }, start + at);

describe("a due time of a schedule", () => {
  it("begins a run of its owner, under an id of its own", async () => {
    const { accept, passAt, statuses, lines, isOpen } = await scene();
    expect((await passAt(due - 1)).begins).toBe(0);
    expect((await passAt(due)).begins).toBe(1);
    const request = { ...each.request, owner: expect.objectContaining(owner) as object };
    const idempotencyKey = `schedule each ${start + due}`;
    expect(accept.mock.calls).toMatchObject([[{ runId: idAt(due), request, idempotencyKey }]]);
    expect([await statuses(), lines, isOpen.mock.calls]).toEqual([["begun 10"], [], []]);
  });

  it.each(["not_found", "invalid_request", "invalid_config", "invalid_value"] as const)(
    "fails for good with %s, and the next time begins",
    async (code) => {
      const { accept, passAt, statuses, schedules, lines } = await scene();
      accept.mockRejectedValueOnce(failure(code));
      expect(await passAt(due)).toEqual({ begins: 1, waitMs: Infinity });
      expect((await schedules.get("each")).history).toMatchObject([{ status: "failed", error: { code } }]);
      expect(lines).toMatchObject([{ level: "error", id: "each" }]);
      expect((await passAt(2 * due)).begins).toBe(1);
      expect(await statuses()).toEqual(["failed 10", "begun 20"]);
    },
  );

  it("is tried again after longer and longer pauses, and its next failure begins with the first pause", async () => {
    const { accept, passAt, statuses, lines } = await scene();
    accept.mockRejectedValue(failure("unavailable"));
    let at = due;
    for (const pauseMs of [1000, 2000, 5000, 5000]) {
      expect(await passAt(at)).toEqual({ begins: 1, waitMs: pauseMs });
      expect((await passAt(at + pauseMs - 1)).begins).toBe(0);
      at += pauseMs;
    }
    expect(lines).toMatchObject(Array.from({ length: 4 }, () => ({ level: "warn", id: "each" })));
    accept.mockResolvedValueOnce(undefined);
    expect((await passAt(at)).begins).toBe(1);
    expect(await passAt(2 * due)).toEqual({ begins: 1, waitMs: 1000 });
    expect(await statuses()).toEqual(["begun 10"]);
  });

  it("is tried for a day, and then fails", async () => {
    const { accept, passAt, schedules } = await scene({ everyMs: 2 * dayMs });
    accept.mockRejectedValue(failure("unavailable"));
    expect((await passAt(2 * dayMs)).begins).toBe(1);
    expect((await passAt(3 * dayMs - 1)).begins).toBe(1);
    expect((await schedules.get("each")).history).toEqual([]);
    expect((await passAt(3 * dayMs + 5000)).begins).toBe(1);
    expect((await schedules.get("each")).history).toMatchObject([{ status: "failed", error: { code: "unavailable" } }]);
  });

  it("is tried at once if the clock was put back during its pause", async () => {
    const { accept, passAt } = await scene({ missed: "all" });
    accept.mockRejectedValueOnce(failure("unavailable"));
    expect((await passAt(due + 60 * minuteMs)).begins).toBe(1);
    expect((await passAt(due)).begins).toBeGreaterThan(0);
  });

  it("rests no longer once its schedule is gone", async () => {
    const { accept, passAt, schedules } = await scene();
    accept.mockRejectedValue(failure("unavailable"));
    expect((await passAt(due)).waitMs).toBe(1000);
    await schedules.remove("each");
    expect((await passAt(due + 1000)).waitMs).toBe(Infinity);
  });

  it("has begun if its run was accepted before the schedule was changed", async () => {
    const { accept, passAt, schedules, lines } = await scene();
    accept.mockRejectedValueOnce(failure("idempotency_mismatch"));
    await passAt(due);
    expect((await schedules.get("each")).history).toMatchObject([{ status: "begun", runId: idAt(due) }]);
    expect(lines).toEqual([]);
  });

  it("has its outcome in the history if the schedule is changed meanwhile", async () => {
    const { accept, passAt, schedules, schedule, statuses } = await scene();
    accept.mockImplementationOnce(async () => await schedules.put({ ...schedule, overlap: "queue" }, owner));
    await passAt(due);
    expect(await statuses()).toEqual(["begun 10"]);
  });

  it("needs no outcome if the schedule is removed meanwhile", async () => {
    const { accept, passAt, schedules, lines } = await scene();
    accept.mockImplementationOnce(async () => await schedules.remove("each"));
    expect(await passAt(due)).toEqual({ begins: 1, waitMs: Infinity });
    expect([await schedules.list(), lines]).toEqual([[], []]);
  });
});

describe("a due time whose previous run", () => {
  it("is open is skipped, unless the schedule says otherwise", async () => {
    const { passAt, isOpen, statuses, cancel } = await scene({ overlap: "skip" });
    await passAt(due);
    isOpen.mockResolvedValue(true);
    expect((await passAt(2 * due)).begins).toBe(0);
    expect(isOpen).toHaveBeenLastCalledWith(idAt(due));
    isOpen.mockResolvedValue(false);
    expect((await passAt(3 * due)).begins).toBe(1);
    expect([await statuses(), cancel.mock.calls]).toEqual([["begun 10", "skipped 20", "begun 30"], []]);
  });

  it("is open waits for that run, before all later times", async () => {
    const { passAt, isOpen, accept, statuses } = await scene({ overlap: "queue", missed: "all" });
    await passAt(due);
    isOpen.mockResolvedValueOnce(true);
    expect(await passAt(3 * due)).toEqual({ begins: 0, waitMs: 1000 });
    expect((await passAt(3 * due + 999)).begins).toBe(0);
    expect((await passAt(3 * due + 1000)).begins).toBe(2);
    expect(accept.mock.calls.map(([{ runId }]) => runId)).toEqual([idAt(2 * due), idAt(3 * due)]);
    expect(await statuses()).toEqual(["begun 10", "begun 20", "begun 30"]);
  });

  it.each([
    ["cancelled", 1],
    ["over", 1],
    ["cancelling", 0],
  ] as const)("is %s when it is cancelled begins %i runs at once", async (outcome, begins) => {
    const { passAt, isOpen, cancel, statuses } = await scene({ overlap: "cancel-running" });
    await passAt(due);
    isOpen.mockResolvedValueOnce(true);
    cancel.mockResolvedValueOnce(outcome);
    expect((await passAt(2 * due)).begins).toBe(begins);
    expect(cancel.mock.calls).toEqual([[idAt(due)]]);
    await passAt(2 * due + 1000);
    expect(await statuses()).toEqual(["begun 10", "begun 20"]);
  });
});

describe("an entry of the list of due schedules", () => {
  it("an entry that was left by an earlier form of its schedule begins nothing, and is removed", async () => {
    const { passAt, storage, schedules, schedule } = await scene();
    const [left] = await storage.list("schedule-due");
    await schedules.put({ ...schedule, everyMs: 5 * due }, owner);
    if (left !== undefined) await storage.set("schedule-due", left.key, left.value);
    expect(await storage.list("schedule-due")).toHaveLength(2);
    expect((await passAt(due)).begins).toBe(0);
    // By then no process can be storing a schedule for the entry.
    const later = vi.spyOn(performance, "now").mockReturnValue(performance.now() + dayMs);
    onTestFinished(() => later.mockRestore());
    expect((await passAt(due)).begins).toBe(0);
    expect((await storage.list("schedule-due")).map(({ key }) => key)).not.toContain(left?.key);
  });

  it("leads to the removal of a schedule a week after its end", async () => {
    const { everyMs: _everyMs, ...once } = each;
    const { passAt, schedules } = await scene();
    await schedules.put({ ...once, id: "once", at: start + due }, owner);
    await passAt(due);
    expect(await schedules.get("once")).toMatchObject({ status: "ended" });
    await passAt(7 * dayMs + due - 1);
    expect((await schedules.list()).map(({ id }) => id)).toEqual(["each", "once"]);
    await passAt(7 * dayMs + due);
    expect((await schedules.list()).map(({ id }) => id)).toEqual(["each"]);
  });

  it("is left to another process that has planned its time first", async () => {
    const { passAt, store, accept, statuses } = await scene();
    const write = store.write.bind(store);
    const planned = vi.spyOn(store, "write").mockImplementationOnce(async (before, next: ScheduleRecord) => {
      await write(before, next);
      return undefined;
    });
    onTestFinished(() => planned.mockRestore());
    expect(await passAt(due)).toEqual({ begins: 0, waitMs: 1000 });
    await passAt(due + 1000);
    expect([accept.mock.calls.length, await statuses()]).toEqual([1, ["begun 10"]]);
  });
});
