import { describe, expect, it, vi } from "vitest";
import { begin, job, settle, start } from "./test/held-jobs.ts";

const drained = { code: "unavailable", message: "The process ends: the run goes on elsewhere, or after a restart." };

describe("the drain of LocalEngine", () => {
  it("waits for the jobs under way, begins no other one, and leaves no timer", async () => {
    const { engine, begun, reasons, serve, end } = begin();
    const serving = await serve(2);
    await engine.submit(job("a"));
    await settle();
    let isOver = false;
    const draining = serving.drain(60_000).then(() => (isOver = true));
    await engine.submit(job("b"));
    await vi.advanceTimersByTimeAsync(59_999);
    expect([isOver, engine.isServed()]).toEqual([false, false]);
    await end("a");
    await draining;

    expect(begun).toEqual(["a_1"]);
    expect(reasons).toEqual([]);
    expect(await engine.waiting()).toBe(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("aborts them after the grace with its reason, and puts their jobs back, whatever they return", async () => {
    const { engine, jobs, reasons, serve } = begin();
    const serving = await serve(2);
    const given = [job("a", { priority: 3 }), job("b")];
    for (const each of given) await engine.submit(each);
    await settle();
    const draining = serving.drain(50);
    await vi.advanceTimersByTimeAsync(49);
    expect(reasons).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(reasons).toMatchObject([drained, drained]);
    await draining;

    expect(await engine.waiting()).toBe(2);
    expect(vi.getTimerCount()).toBe(0);
    await serve(2);
    await settle();
    expect(jobs).toEqual([...given, ...given]);
  });

  it("aborts no sooner where the grace is longer than a timer can last", async () => {
    const { engine, reasons, serve, end } = begin();
    const serving = await serve();
    await engine.submit(job("a"));
    await settle();
    const draining = serving.drain(Number.MAX_SAFE_INTEGER);
    await vi.advanceTimersByTimeAsync(2_147_483_646);
    expect(reasons).toEqual([]);
    await end("a");
    await draining;
  });

  it("may be shortened by a second call", async () => {
    const { engine, reasons, serve } = begin();
    const serving = await serve();
    await engine.submit(job("a"));
    await settle();
    const draining = [serving.drain(60_000), serving.drain(5)];
    await vi.advanceTimersByTimeAsync(5);
    expect(reasons).toHaveLength(1);
    await Promise.all(draining);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("puts no job back that ended before the grace was over, or was handed back until then", async () => {
    const { engine, serve, end } = begin();
    const serving = await serve();
    for (const runId of ["a", "b"]) await engine.submit(job(runId));
    await settle();
    const draining = serving.drain(50);
    await end("a");
    await end("b", { againInMs: 1000 });
    await draining;
    expect(await engine.waiting()).toBe(1);
    expect(vi.getTimerCount()).toBe(1);
  });

  it("lets the engine be served again, and leaves that one alone when it is called again", async () => {
    const { engine, begun, reasons, serve } = begin();
    const first = await serve();
    await first.drain(0);
    await serve();
    await engine.submit(job("a"));
    await settle();
    let isOver = false;
    void first.drain(0).then(() => (isOver = true));
    await vi.advanceTimersByTimeAsync(10);
    expect([isOver, begun, reasons, engine.isServed()]).toEqual([true, ["a_1"], [], true]);
  });

  it("keeps the timers of jobs that are not due, whose time brings nothing until it is served", async () => {
    const { engine, begun, serve } = begin();
    const serving = await serve();
    await engine.submit(job("a", { notBefore: start + 20 }));
    await serving.drain(0);
    await vi.advanceTimersByTimeAsync(30);
    expect(begun).toEqual([]);
    await serve();
    await settle();
    expect(begun).toEqual(["a_1"]);
  });
});

describe("LocalEngine.serve", () => {
  it("refuses a second one until the drain of the first is over", async () => {
    const { engine, serve, end } = begin();
    expect(engine.isServed()).toBe(false);
    const serving = await serve();
    expect(engine.isServed()).toBe(true);
    const conflict = {
      code: "conflict",
      message: "This engine is served already. Drain it first, or make another engine.",
    };
    await expect(serve()).rejects.toMatchObject(conflict);
    await engine.submit(job("a"));
    await settle();
    const draining = serving.drain(1000);
    await expect(serve()).rejects.toMatchObject(conflict);
    await end("a");
    await draining;
    await serve();
    expect(engine.isServed()).toBe(true);
  });
});

describe("LocalEngine.close", () => {
  it("aborts what is under way, drops all that waits with its timers, and takes no more", async () => {
    const { engine, begun, reasons, serve } = begin();
    await serve(1);
    for (const each of [job("a"), job("b"), job("c", { notBefore: start + 50 })]) await engine.submit(each);
    await settle();
    const closed = engine.close();
    await vi.advanceTimersByTimeAsync(1);
    expect([begun, reasons]).toMatchObject([["a_1"], [drained]]);
    await closed;
    expect(await engine.waiting()).toBe(0);
    expect(vi.getTimerCount()).toBe(0);
    expect(engine.isServed()).toBe(false);
    await expect(engine.submit(job("d"))).rejects.toMatchObject({
      code: "unavailable",
      message: "The engine was closed: it takes no more jobs.",
    });
    await expect(serve()).rejects.toMatchObject({
      code: "unavailable",
      message: "The engine was closed: it cannot serve any more.",
    });
    await engine.close();
  });

  it("refuses jobs from its call on, and drops those of an engine that was never served", async () => {
    const { engine } = begin();
    await engine.submit(job("a"));
    const closed = engine.close();
    await expect(engine.submit(job("b"))).rejects.toMatchObject({ code: "unavailable" });
    await closed;
    expect(await engine.waiting()).toBe(0);
  });
});
