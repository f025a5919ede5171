import { describe, expect, it, vi } from "vitest";
import type { Attempt } from "../../agents/journal/attempt.ts";
import type { RunWait } from "../../agents/run/run-wait.ts";
import { putAnswer, putCancel } from "../record/answers.ts";
import type { RunRecord } from "../record/run-record.ts";
import { callerOf } from "../record/run-record.ts";
import { now, partsOf, record } from "../processes/test/parts.ts";
import { isDue, isLate, RunSuspension } from "./run-ends.ts";
import { RunningNote } from "./running-note.ts";
import { sweepMs } from "../processes/run-sweep.ts";

const asked = (id: string, more: Partial<RunWait> = {}): RunWait => ({ id, kind: "approval", about: {}, ...more });
const answersTo = (...ids: string[]) => ({ answers: new Map(ids.map((id) => [id, null])), signals: [] });

describe("a waiting run", () => {
  it.each([
    [[asked("w")], [], false],
    [[asked("w")], ["w"], true],
    [[asked("w")], ["other"], false],
    [[asked("v"), asked("w")], ["w"], true],
    [[asked("w", { until: 100 })], [], true],
    [[asked("w", { until: 101 })], [], false],
    [[asked("v"), asked("w", { until: 99 })], [], true],
    [[asked("w", { kind: "upgrade" })], [], true],
    [[asked("w", { kind: "doubt" })], [], false],
    [[asked("w", { kind: "event", about: { event: "paid" } })], [], false],
    [[asked("w", { kind: "sleep", until: 100 })], [], true],
    [undefined, ["w"], false],
  ])("a waiting run for %j with answers to %j can go on: %s", (waits, ids, due) => {
    expect(isDue({ ...record, ...(waits && { waits }) }, answersTo(...ids), 100)).toBe(due);
  });

  it.each([
    [{ kind: "event" as const, about: { event: "paid" } }, true],
    [{ kind: "event" as const, about: { event: "paid" }, seen: 1 }, true],
    [{ kind: "event" as const, about: { event: "paid" }, seen: 2 }, false],
    [{ kind: "event" as const, about: { event: "sent" } }, false],
    [{ kind: "event" as const, about: { event: "paid" }, until: 150 }, true],
    [{ kind: "event" as const, about: { event: "paid" }, until: 49 }, false],
    [{ kind: "question" as const, about: { event: "paid" } }, false],
  ])("a waiting run for %j with a signal can go on: %s", (wait, due) => {
    const signals = [{ number: 2, event: "paid", data: null, at: 50 }];

    expect(isDue({ ...record, waits: [asked("w", wait)] }, { ...answersTo(), signals }, 40)).toBe(due);
  });

  it.each([
    [undefined, [asked("w")], [], false],
    [101, [asked("w")], [], false],
    [100, [asked("w")], [], true],
    [100, undefined, [], true],
    [100, [asked("w")], ["w"], false],
    [100, [asked("w")], ["v"], true],
    [100, [asked("w", { until: 100 })], [], false],
    [100, [asked("w", { until: 101 })], [], true],
    [100, [asked("w", { kind: "upgrade" })], [], true],
  ])("a waiting run until %d for %j with answers to %j is late: %s", (...row) => {
    const [waitsUntil, waits, ids, late] = row;
    const waiting = { ...record, ...(waits && { waits }), ...(waitsUntil !== undefined && { waitsUntil }) };
    expect(isLate(waiting, answersTo(...ids), 100)).toBe(late);
  });
});

/** A run of an attempt, which has come to its waits. */
async function suspended(waits: readonly RunWait[], { of = record, attempts = 0, isAlone = true } = {}) {
  const made = partsOf({}, { isAlone });
  const { parts } = made;
  await parts.store.insert({ ...of, attempts });
  const resubmit = vi.fn<(record: RunRecord) => void>();
  const noted = vi.spyOn(parts.due, "add");
  const waiting = parts.admission && vi.spyOn(parts.admission, "wait");
  const suspension = new RunSuspension(parts, resubmit);
  const stored = () => parts.store.read(of.runId);
  const attempt = { attempt: 1, steps: { waits } } as unknown as Attempt;
  const suspend = async (): Promise<void> => {
    const note = new RunningNote(parts.store, of, { attempts: 1, node: "here", startedAt: 5, plan: { tools: {} } });
    await suspension.suspend(of, attempt, note);
  };
  return { ...made, resubmit, noted, suspension, stored, waiting, suspend };
}

const openIn = async ({ storage }: { storage: { list(namespace: string): Promise<{ value: unknown }[]> } }) =>
  (await storage.list("run-open")).map(({ value }) => (value as { submittedAt: number }).submittedAt);

describe("a run that suspends", () => {
  it("waits in its record with its attempt, off the list of open runs, and holds its place no longer", async () => {
    const run = await suspended([asked("w")]);
    await run.suspend();
    const { waitsUntil, ...stored } = (await run.stored()) ?? record;
    expect(waitsUntil).toBeUndefined();
    expect(stored).toMatchObject({ status: "waiting", attempts: 1, node: "here", startedAt: 5, waits: [asked("w")] });
    expect(run.parts.store.running.size).toBe(0);
    expect(await openIn(run)).toEqual([]);
    expect(run.resubmit).not.toHaveBeenCalled();
    expect(run.waiting).toHaveBeenCalledExactlyOnceWith("r", callerOf(record));
    expect(run.lines).toEqual([]);
  });

  it("a run that suspends of a caller without a user waits for a time, and is found by the sweep before that", async () => {
    const anonymous = { ...record, owner: {}, anonymous: "#" };
    const run = await suspended([asked("w")], { of: anonymous });
    await run.suspend();
    expect(await run.stored()).toMatchObject({ waitsUntil: now + 86_400_000 });
    expect(await openIn(run)).toEqual([now + 86_400_000 - sweepMs]);
    expect(run.waiting).toHaveBeenCalledExactlyOnceWith("r", callerOf(anonymous));
  });

  it.each([1, sweepMs - 1, sweepMs, 86_400_000])(
    "stays listed, to be woken, if its wait ends after %d ms",
    async (ms) => {
      const run = await suspended([asked("v"), asked("w", { until: now + ms })]);
      await run.suspend();
      expect(run.resubmit).not.toHaveBeenCalled();
      expect(run.noted).toHaveBeenCalledExactlyOnceWith("r", now + ms);
      expect(await openIn(run)).toEqual([now + ms - sweepMs]);
    },
  );

  it("goes on at once if its wait is over when it has suspended", async () => {
    const run = await suspended([asked("v"), asked("w", { until: now })]);
    await run.suspend();
    expect(run.resubmit).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ activation: 2 }));
    expect(run.noted).not.toHaveBeenCalled();
    expect(await openIn(run)).toEqual([now]);
  });

  it("goes on at once with an answer or a cancel that came while it was about to stop", async () => {
    for (const put of [
      (storage: never) => putAnswer(storage, { runId: "r", waitId: "w" }, { approved: true }),
      (storage: never) => putCancel(storage, "r", "Enough."),
    ]) {
      const run = await suspended([asked("w")]);
      await put(run.storage as never);
      await run.suspend();
      expect(await run.stored()).toMatchObject({ status: "queued", activation: 2 });
      expect(run.resubmit).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ activation: 2 }));
      expect(await openIn(run)).toEqual([now]);
    }
  });

  it("stays with a later attempt that has it", async () => {
    const run = await suspended([asked("w")], { attempts: 2 });
    await run.suspend();
    expect(await run.stored()).toMatchObject({ status: "queued", attempts: 2 });
    expect(run.waiting).not.toHaveBeenCalled();
    expect(run.resubmit).not.toHaveBeenCalled();
  });

  it("says how to answer for each call that may have had its effect, and for no other wait", async () => {
    const doubt = (id: string, toolName: string) =>
      asked(id, { kind: "doubt", about: { toolName, args: "sk-secret" } });
    const run = await suspended([asked("w"), doubt("d1", "pay"), doubt("d2", 'a"b')]);
    await run.suspend();
    expect(run.lines).toEqual([expect.stringContaining("d1"), expect.stringContaining("d2")]);
    const { level, message } = JSON.parse(run.lines[0] ?? "") as { level: string; message: string };
    expect(level).toBe("warn");
    expect(message).toContain('its process ended during "pay", which may have had its effect');
    expect(run.lines.join("")).not.toContain("sk-secret");
  });
});

describe("a run whose time has come", () => {
  const sleeping = (until: number): RunRecord => ({ ...record, status: "waiting", waits: [asked("w", { until })] });

  const rows: [behaviour: string, of: RunRecord, wakes: boolean, noted: [string, number][]][] = [
    ["wakes at its time", sleeping(now), true, []],
    ["waits on before its time, which is noted again", sleeping(now + 1), false, [["r", now + 1]]],
    ["waits on without an end", { ...sleeping(now), waits: [asked("w")] }, false, [["r", Infinity]]],
    [
      "is left to the sweep if the run itself is late",
      { ...sleeping(now + 9), waitsUntil: now },
      false,
      [["r", now + 9]],
    ],
    ["is left as it is when it was woken", { ...sleeping(now), status: "queued" as const }, false, []],
    ["is left as it is when it is over", { ...sleeping(now), status: "completed" as const }, false, []],
  ];

  it.each(rows)("%s, with another activation if several processes may wake it", async (...row) => {
    const [, of, wakes, noted] = row;
    for (const isAlone of [true, false]) {
      const run = await suspended([], { of, isAlone });
      await run.suspension.wakeDue("r");
      expect(run.resubmit.mock.calls.map(([woken]) => woken.activation)).toEqual(wakes ? [isAlone ? 1 : 2] : []);
      expect(run.noted.mock.calls).toEqual(noted);
      expect(run.lines).toEqual([]);
    }
  });

  it("is submitted without a write if no other process performs runs", async () => {
    const run = await suspended([], { of: sleeping(now) });
    const before = await Promise.all(["runs", "run-open"].map((namespace) => run.storage.list(namespace)));
    await run.suspension.wakeDue("r");
    expect(run.resubmit).toHaveBeenCalledOnce();
    expect(await Promise.all(["runs", "run-open"].map((namespace) => run.storage.list(namespace)))).toEqual(before);
  });

  it("is looked at again soon while an attempt has not left, whose job the engine still knows", async () => {
    const run = await suspended([], { of: sleeping(now) });
    run.parts.performing.set("r", { done: Promise.resolve(), cancel: () => undefined });
    await run.suspension.wakeDue("r");
    expect(run.resubmit).not.toHaveBeenCalled();
    expect(run.noted.mock.calls).toEqual([["r", now + 100]]);
  });

  it("lets the event loop turn before it begins, so that it does not delay runs that were woken before", async () => {
    const run = await suspended([], { of: sleeping(now) });
    const turn = vi.fn<() => void>();
    setImmediate(turn);
    await run.suspension.wakeDue("r");
    expect(turn.mock.invocationCallOrder[0]).toBeLessThan(run.resubmit.mock.invocationCallOrder[0] ?? 0);
  });

  it("is woken by one of two processes", async () => {
    const run = await suspended([], { of: sleeping(now), isAlone: false });
    const shared = partsOf({}, { storage: run.storage, isAlone: false });
    const other = new RunSuspension(shared.parts, run.resubmit);
    await Promise.all([run.suspension.wakeDue("r"), other.wakeDue("r")]);
    expect(run.resubmit).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ activation: 2 }));
  });

  it("is left alone when it was removed", async () => {
    const run = await suspended([]);
    await run.suspension.wakeDue("another");
    expect([run.resubmit.mock.calls, run.lines]).toEqual([[], []]);
  });

  it("is left to the sweep if the storage is down, which the operator reads", async () => {
    const run = await suspended([], { of: sleeping(now) });
    vi.spyOn(run.storage, "get").mockRejectedValue(new Error("down"));
    await run.suspension.wakeDue("r");
    expect(run.resubmit).not.toHaveBeenCalled();
    expect(run.lines).toEqual([expect.stringContaining("could not be woken at its time")]);
  });
});

describe("a run that waits for what it needs", () => {
  const upgrade = asked("upgrade-1", { kind: "upgrade" });

  it("waits on the list of open runs, where processes look for it", async () => {
    const { suspension, stored, storage } = await suspended([]);
    await suspension.waitForUpgrade({ ...record, attempts: 1 }, upgrade);
    expect(await stored()).toMatchObject({ status: "waiting", waits: [upgrade] });
    expect(await storage.list("run-open")).toMatchObject([{ value: { waitsForUpgrade: true, submittedAt: now } }]);
  });

  it("is left as it is when it waits for the same already, and waits anew for something else", async () => {
    const { suspension, parts, stored } = await suspended([]);
    const suspend = vi.spyOn(parts.store, "suspend");
    await suspension.waitForUpgrade({ ...record, waits: [upgrade] }, upgrade);
    expect(suspend).not.toHaveBeenCalled();
    const other = asked("upgrade-2", { kind: "upgrade" });
    await suspension.waitForUpgrade({ ...record, attempts: 1, waits: [upgrade] }, other);
    expect(await stored()).toMatchObject({ waits: [other] });
  });

  it("is not put on the list when another attempt has it", async () => {
    const { suspension, parts } = await suspended([], { attempts: 2 });
    const open = vi.spyOn(parts.store.openRuns, "relist");
    await suspension.waitForUpgrade({ ...record, attempts: 1 }, upgrade);
    expect(open).not.toHaveBeenCalled();
  });
});
