import { describe, expect, it, onTestFinished, vi } from "vitest";
import { begin, job, settle, start } from "./test/held-jobs.ts";

const longestTimerMs = 2_147_483_647;

/** Notes the timers that are begun from now on. */
function noteTimers() {
  const timers: { ms: number | undefined; timer: NodeJS.Timeout }[] = [];
  const { setTimeout } = globalThis;
  vi.stubGlobal("setTimeout", (act: () => void, ms?: number) => {
    const timer = setTimeout(act, ms);
    timers.push({ ms, timer });
    return timer;
  });
  onTestFinished(() => void vi.unstubAllGlobals());
  return timers;
}

describe("the order of jobs", () => {
  it("is that of the priorities, 10 by default, and among equal ones that of their submission", async () => {
    const { engine, begun, serve, end } = begin();
    const priorities = { k: 11, a: 10, b: undefined, c: 0, d: 10, e: 9, f: undefined };
    for (const [runId, priority] of Object.entries(priorities)) {
      await engine.submit(job(runId, priority === undefined ? {} : { priority }));
    }
    await serve(1);
    for (let count = 0; count < 7; count++) await end(begun.at(-1)?.slice(0, 1) ?? "");

    expect(begun).toEqual(["c_1", "e_1", "a_1", "b_1", "d_1", "f_1", "k_1"]);
  });

  it("has one run's jobs one after another, also where another run's place is free", async () => {
    const { engine, begun, serve, end } = begin();
    await serve(2);
    await engine.submit(job("a"));
    await engine.submit(job("a", { activation: 2 }));
    await engine.submit(job("a", { activation: 3, priority: 1 }));
    await settle();
    expect(begun).toEqual(["a_1"]);
    expect(await engine.waiting()).toBe(2);
    await end("a");
    expect(begun).toEqual(["a_1", "a_3"]);
    await end("a");
    expect(begun).toEqual(["a_1", "a_3", "a_2"]);
  });

  it("goes by the last place: a job that was handed back comes behind its equals", async () => {
    const { engine, begun, serve, end } = begin();
    for (const runId of ["a", "b", "c"]) await engine.submit(job(runId));
    await serve(1);
    await settle();
    await end("a", { againInMs: 0 });
    await end("b");
    await end("c");
    expect(begun).toEqual(["a_1", "b_1", "c_1", "a_1"]);
  });
});

describe("a job that was taken", () => {
  it("is not taken again while it waits or is under way; one of another activation is another", async () => {
    const { engine, begun, serve, end } = begin();
    await engine.submit(job("a"));
    await engine.submit(job("a", { priority: 1 }));
    expect(await engine.waiting()).toBe(1);
    await serve(1);
    await settle();
    await engine.submit(job("a"));
    expect(await engine.waiting()).toBe(0);
    await engine.submit(job("a", { activation: 2 }));
    expect(await engine.waiting()).toBe(1);
    await end("a");
    await end("a");
    await engine.submit(job("a"));
    await settle();
    expect(begun).toEqual(["a_1", "a_2", "a_1"]);
  });

  it("reaches its performer as it was submitted", async () => {
    const { engine, jobs, serve } = begin();
    const given = job("a", { activation: 3, priority: 7, notBefore: start - 1 });
    await engine.submit(given);
    await serve();
    await settle();
    expect(jobs).toEqual([given]);
  });

  it("begins behind the call that submits it", async () => {
    const { engine, begun, serve } = begin();
    await serve();
    const submitted = engine.submit(job("a"));
    expect(begun).toEqual([]);
    await submitted;
    await settle();
    expect(begun).toEqual(["a_1"]);
  });

  it("gives its place to the next one when it fails, and may come again then", async () => {
    const { engine, begun, serve, fail } = begin();
    await serve(1);
    await engine.submit(job("a"));
    await engine.submit(job("b"));
    await settle();
    await fail("a");
    expect(begun).toEqual(["a_1", "b_1"]);
    expect(await engine.waiting()).toBe(0);
  });

  it("is withdrawn in all activations that wait, and leaves other runs and the one under way", async () => {
    const { engine, begun, reasons, serve, end } = begin();
    await serve(1);
    for (const each of [
      job("a"),
      job("a", { activation: 2 }),
      job("ab"),
      job("a", { notBefore: start + 50, activation: 3 }),
    ])
      await engine.submit(each);
    await engine.withdraw("a");
    expect(vi.getTimerCount()).toBe(0);
    expect(await engine.waiting()).toBe(1);
    await end("a");
    await vi.advanceTimersByTimeAsync(100);
    expect(begun).toEqual(["a_1", "ab_1"]);
    expect(reasons).toEqual([]);
  });
});

describe("a job that is not due", () => {
  it("waits until its time to the millisecond, and lets others go first", async () => {
    const { engine, begun, serve, end } = begin();
    await serve(1);
    await engine.submit(job("later", { notBefore: start + 50, priority: 1 }));
    await engine.submit(job("now", { notBefore: start }));
    await settle();
    expect(begun).toEqual(["now_1"]);
    await end("now");
    await vi.advanceTimersByTimeAsync(49);
    expect(await engine.waiting()).toBe(1);
    expect(begun).toEqual(["now_1"]);
    await vi.advanceTimersByTimeAsync(1);
    expect(begun).toEqual(["now_1", "later_1"]);
    expect(await engine.waiting()).toBe(0);
  });

  it("waits longer than a timer of Node can last", async () => {
    const { engine, begun, serve } = begin();
    const timers = noteTimers();
    await serve();
    await engine.submit(job("a", { notBefore: start + longestTimerMs + 7 }));
    await vi.advanceTimersByTimeAsync(longestTimerMs);
    expect(begun).toEqual([]);
    await vi.advanceTimersByTimeAsync(6);
    expect(begun).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(begun).toEqual(["a_1"]);
    expect(vi.getTimerCount()).toBe(0);
    expect(timers.map(({ ms }) => ms)).toEqual([longestTimerMs, 7]);
  });

  it("waits for the last millisecond, too", async () => {
    const { engine, begun, serve } = begin();
    await serve();
    await engine.submit(job("a", { notBefore: start + 1 }));
    await settle();
    expect(begun).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(begun).toEqual(["a_1"]);
  });

  it("begins at once when it was withdrawn and comes again without a time", async () => {
    const { engine, begun, serve } = begin();
    await serve();
    await engine.submit(job("a", { notBefore: start + 1000 }));
    await engine.withdraw("a");
    await engine.submit(job("a"));
    await settle();
    expect(begun).toEqual(["a_1"]);
  });

  it.each(["submitted for later", "handed back"])("does not keep the process alive: %s", async (how) => {
    const { engine, serve, end } = begin();
    const timers = noteTimers();
    await serve();
    await engine.submit(job("a", how === "handed back" ? {} : { notBefore: start + 50 }));
    await settle();
    await end("a", { againInMs: 50 });
    expect(timers.map(({ ms, timer }) => [ms, timer.hasRef()])).toEqual([[50, false]]);
  });

  it("comes again the given time after it was handed back, with the same priority", async () => {
    const { engine, begun, jobs, serve, end } = begin();
    await serve();
    await engine.submit(job("a", { priority: 3 }));
    await vi.advanceTimersByTimeAsync(30);
    await end("a", { againInMs: 50 });
    expect(await engine.waiting()).toBe(1);
    await vi.advanceTimersByTimeAsync(49);
    expect(begun).toEqual(["a_1"]);
    await vi.advanceTimersByTimeAsync(1);
    expect(begun).toEqual(["a_1", "a_1"]);
    expect(jobs[1]).toEqual({ runId: "a", activation: 1, priority: 3, notBefore: start + 80 });
  });
});

describe("a reserved place", () => {
  it("counts among those taken until its run is submitted, which then begins before others", async () => {
    const { engine, begun, serve } = begin();
    await serve(1);
    expect(engine.reserve("next", 10)).toBe(true);
    expect(engine.reserve("other", 10)).toBe(false);
    await engine.submit(job("first", { priority: 1 }));
    await settle();
    expect(begun).toEqual([]);
    await engine.submit(job("next"));
    await settle();
    expect(begun).toEqual(["next_1"]);
    expect(await engine.waiting()).toBe(1);
  });

  it("goes to a job that waits when it is released, once", async () => {
    const { engine, begun, serve } = begin();
    await serve(1);
    engine.reserve("next", 10);
    await engine.submit(job("a"));
    engine.release("other");
    await settle();
    expect(begun).toEqual([]);
    engine.release("next");
    engine.release("next");
    await settle();
    expect(begun).toEqual(["a_1"]);
    expect(engine.reserve("next", 10)).toBe(false);
  });

  it("is not to be had where nothing serves, or no longer", async () => {
    const { engine, serve } = begin();
    expect(engine.reserve("next", 10)).toBe(false);
    const serving = await serve();
    expect(engine.reserve("next", 10)).toBe(true);
    const drained = serving.drain(0);
    expect(engine.reserve("last", 10)).toBe(false);
    await engine.submit(job("next"));
    expect(await engine.waiting()).toBe(1);
    await drained;
  });
});
