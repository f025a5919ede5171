import { afterEach, describe, expect, it, vi } from "vitest";
import type { Attempt } from "./attempt.ts";
import type { RunWait } from "../run/run-wait.ts";
import { RunPaused } from "../run/run-paused.ts";
import { openAttempt, settle } from "./test/attempts.ts";
import { journaledRunId as runId } from "./test/journals.ts";

const wait = (id: string): RunWait => ({ id, kind: "approval", about: null });

afterEach(() => void vi.useRealTimers());

describe("a step of an attempt", () => {
  it("is logged once it is done, with its time, duration and usage, and has a result from then on", async () => {
    vi.useFakeTimers({ toFake: ["Date", "performance"], now: 1000 });
    const { made, logged } = await openAttempt();
    const usage = { promptTokens: 1, completionTokens: 2, totalTokens: 3 };
    const step = made.beginStep("m/0");
    vi.advanceTimersByTime(30);
    step.done({ text: "a\uD83D", at: undefined }, usage);
    step.leave();
    made.beginStep("m/1").leave();
    made.beginStep("m/2").done(undefined);

    const result = { value: { text: "a\uFFFD" }, ms: 30, usage };
    expect([...made.results]).toStrictEqual([
      ["m/0", result],
      ["m/2", { value: null, ms: 0 }],
    ]);
    expect(await logged()).toEqual([
      { t: "done", step: "m/0", at: 1030, ...result },
      { t: "done", step: "m/2", at: 1030, value: null, ms: 0 },
    ]);
  });

  it("a step of an attempt of a call is no longer interrupted once it is done", async () => {
    const { storage } = await openAttempt();
    await storage.set("run-log", `${runId}/000000000002`, {
      v: 1,
      entries: [{ t: "call", step: "t/0", tool: "send", args: {}, effect: "once", key: "k" }],
    });
    const { made } = await openAttempt(storage);
    expect([...made.calls.keys()]).toEqual(["t/0"]);
    made.beginStep("t/0").done(null);
    expect([...made.calls.keys()]).toEqual([]);
  });

  it.each(["released", "failed", "suspended", "overtaken"] as const)(
    "has no result after the attempt is %s",
    async (reason) => {
      const { made, logged } = await openAttempt();
      const step = made.beginStep("m/0");
      made.stop(reason);
      step.done("late");

      expect(made.results.size).toBe(0);
      expect((await logged()).filter(({ t }) => t !== "left")).toEqual([]);
    },
  );
});

describe("Attempt.stop", () => {
  it.each([
    ["released", [{ t: "left", why: "released" }]],
    ["failed", [{ t: "left", why: "failed" }]],
    ["suspended", []],
    ["overtaken", []],
  ] as const)(
    "Attempt.stop with the reason %s aborts the run with this reason, and logs its entry",
    async (reason, last) => {
      const { made, logged } = await openAttempt();
      const cause = new Error("away");
      const waiting = made.wait("t/0", wait("t.0"));
      waiting.catch(() => undefined);
      await made.flush();
      made.stop(reason, cause);
      made.stop("released");

      await expect(waiting).rejects.toMatchObject({ reason, cause });
      expect(made.stopped).toBe(reason);
      expect(made.signal.reason).toBeInstanceOf(RunPaused);
      expect(made.signal.reason).toMatchObject({ reason, cause });
      expect((await logged()).slice(1)).toEqual(last);
    },
  );

  it("keeps what was done before a release", async () => {
    const { made, logged } = await openAttempt();
    made.beginStep("m/0").done("kept");
    made.stop("released");
    await made.flush();
    expect((await logged()).map(({ t }) => t)).toEqual(["done", "left"]);
  });

  it("adds nothing to a log that has its end", async () => {
    const { made, logged } = await openAttempt();
    await made.add({ t: "end", output: null });
    made.stop("failed");
    expect(await logged()).toEqual([{ t: "end", output: null }]);
  });
});

describe("a wait of an attempt", () => {
  it("suspends the run, with the time worked so far, once each open step waits or has a part that does", async () => {
    vi.useFakeTimers({ toFake: ["Date", "performance"], now: 1000 });
    const { made, logged } = await openAttempt();
    const [outer, inner, other] = ["w/a", "w/a/t/0", "w/ab"].map((step) => made.beginStep(step));
    vi.advanceTimersByTime(40);
    const waiting = made.wait("w/a/t/0", wait("w.a.t.0"));
    waiting.catch(() => undefined);
    await settle();
    expect(made.stopped).toBeUndefined();
    expect(await logged()).toEqual([{ t: "wait", wait: wait("w.a.t.0"), performedMs: 40 }]);

    other?.leave();
    await settle();
    expect(made.stopped).toBe("suspended");
    await expect(waiting).rejects.toBe(made.signal.reason);
    expect(made.steps.waits).toEqual([wait("w.a.t.0")]);
    expect([outer, inner]).toHaveLength(2);
  });

  it("goes on where a step begins in the turn in which another one ends", async () => {
    const { made } = await openAttempt();
    const [asking, working] = [made.beginStep("t/0"), made.beginStep("t/1")];
    made.wait("t/0", wait("t.0")).catch(() => undefined);
    working.done(null);
    const next = made.beginStep("t/2");
    await settle();
    expect(made.stopped).toBeUndefined();
    next.leave();
    await settle();
    expect(made.stopped).toBe("suspended");
    asking.leave();
  });

  it("is logged once, whatever attempts come to it, and is known", async () => {
    const { made, storage } = await openAttempt();
    for (const step of ["t/0", "t/1"]) made.wait(step, wait(step.replace("/", "."))).catch(() => undefined);
    await settle();
    const next = await openAttempt(storage);
    next.made.wait("t/0", wait("t.0")).catch(() => undefined);
    expect(await next.logged()).toEqual([]);
    expect(next.made.knownWait("t.1")).toEqual(wait("t.1"));
    expect(made.knownWait("t.1")).toEqual(wait("t.1"));
    expect(next.made.steps.waits).toEqual([wait("t.0")]);
  });

  it("does not count an attempt as left while a step beside its known wait is in progress", async () => {
    const { made, storage } = await openAttempt();
    made.wait("t/0", wait("t.0")).catch(() => undefined);
    await settle();
    const next = await openAttempt(storage);
    const working = next.made.beginStep("t/1");
    next.made.wait("t/0", wait("t.0")).catch(() => undefined);
    await settle();
    expect(await next.logged()).toEqual([]);
    working.leave();
    await settle();
    expect(await next.logged()).toEqual([{ t: "left", why: "suspended" }]);
  });

  it("shows that an attempt which only comes to known waits has not crashed, and another attempt that it has", async () => {
    const { made, storage } = await openAttempt();
    made.wait("t/0", wait("t.0")).catch(() => undefined);
    await settle();
    const second = await openAttempt(storage);
    second.made.wait("t/0", wait("t.0")).catch(() => undefined);
    await settle();
    expect([made.stopped, second.made.stopped]).toEqual(["suspended", "suspended"]);
    expect(await second.logged()).toEqual([{ t: "left", why: "suspended" }]);

    const third = await openAttempt(storage);
    expect(third.made).toMatchObject({ fruitlessAttempts: 1, continuesAfter: "wait" });
    third.made.beginStep("m/0").done("kept");
    third.made.wait("t/0", wait("t.0")).catch(() => undefined);
    await settle();
    expect((await third.logged()).map(({ t }) => t)).toEqual(["done"]);
  });

  it("has the answers that the attempt began with", async () => {
    const answers = new Map([["t.0", "yes"]]);
    expect((await openAttempt(undefined, answers)).made.answers).toBe(answers);
    expect([...(await openAttempt()).made.answers]).toEqual([]);
  });
});

describe("an attempt that is to do nothing new", () => {
  it.each([
    ["m/0", true],
    ["t/0/1/m/12", true],
    ["m/0/t", false],
    ["xm/0", false],
    ["t/0", false],
  ])("ends the run as it comes to %s: at once is %s", async (step, isAtOnce) => {
    const { made } = await openAttempt();
    const end = vi.fn<() => void>();
    expect(made.newWork.before()).toBeUndefined();
    made.newWork.forbid(end);
    made.beginStep(step);
    expect(end).toHaveBeenCalledTimes(isAtOnce ? 1 : 0);
    await made.newWork.before();
    expect(end).toHaveBeenCalledTimes(1);
  });

  it("ends the run at a wait", async () => {
    const { made } = await openAttempt();
    const end = vi.fn<() => void>();
    made.newWork.forbid(end);
    made.wait("t/0", wait("t.0")).catch(() => undefined);
    await settle();
    expect(end).toHaveBeenCalledTimes(1);
  });
});

it("an attempt stops when another one has written the next record of its log", async () => {
  const { made, storage } = await openAttempt();
  await storage.set("run-log", `${runId}/000000000002`, { v: 1, entries: [] });
  await expect(made.add({ t: "left", why: "failed" })).rejects.toMatchObject({ reason: "overtaken" });
  expect([made.stopped, made.signal.aborted]).toEqual(["overtaken", true]);
});

it.each<[entry: string, act: (made: Attempt) => unknown]>([
  ["an end", (made) => made.add({ t: "end", output: null })],
  ["a wait", (made) => made.wait("t/0", wait("t.0")).catch(() => undefined)],
  ["a word that it leaves", (made) => made.stop("released")],
  ["what was flushed", (made) => [made.beginStep("a").done(1), made.flush()]],
])("an attempt stores %s without a pause", async (_entry, act) => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const { made, storage } = await openAttempt();
  act(made);
  await settle();
  expect(await storage.list("run-log")).toHaveLength(2);
});
