import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createLogger } from "../../base/log/logger.ts";
import type { Perform, RunEngine } from "../processes/run-engine.ts";
import type { RunServiceOptions } from "../processes/run-service-options.ts";
import { newRecord } from "../record/test/run-records.ts";
import { RunStore } from "../record/run-store.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { RemoteStorage } from "../../sessions/storage/test/remote-storage.ts";
import { faultyStorage } from "../../testing/faulty-storage.ts";
import { askingRunnable } from "./test/asking-runnable.ts";
import { makeService, request, scriptedAgent, untilStatus } from "./test/services.ts";

const closed = { code: "unavailable", message: "The run service was closed." };
const taken = {
  code: "conflict",
  message: "This service performs runs already. Drain it first, or make another service.",
};

/** A service over an engine that notes its calls; `fails` names those that fail. */
function begin(options: RunServiceOptions = {}) {
  const calls: unknown[] = [];
  const fails = new Set<string>();
  let perform: Perform = async () => undefined;
  const note = async (name: string, ...args: unknown[]) => {
    calls.push([name, ...args]);
    if (fails.has(name)) throw new Error(`No ${name}.`);
  };
  const engine: RunEngine = {
    submit: ({ runId }) => note("submit", runId),
    withdraw: (runId) => note("withdraw", runId),
    serve: async (given, serveOptions) => {
      perform = given;
      await note("serve", serveOptions);
      return { drain: (graceMs) => note("drain", graceMs) };
    },
    waiting: async () => 0,
    close: () => note("close"),
  };
  const lines: string[] = [];
  const logger = createLogger({ level: "debug", color: false, write: (line) => void lines.push(line) });
  const storage = new InMemoryStorage();
  const all = { agents: { a: scriptedAgent([]) }, storage, engine, logger, sealKeys: false as const, node: "here" };
  const service = makeService({ ...all, ...options });
  const logged = () => lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  const nodes = async () => (await storage.list("run-nodes")).map(({ value }) => (value as { name: string }).name);
  return { service, storage, calls, fails, logged, nodes, perform: () => perform };
}

it("a service warns of steps that are asked about after a crash, unless its runs end with the process", () => {
  const flow = { name: "w", plannedSteps: [{ name: "pay", kind: "function" }] } as never;
  const warned = (options: RunServiceOptions) =>
    begin({ agents: undefined, workflows: { w: flow }, ...options })
      .logged()
      .map(({ level, message }) => `${String(level)}: ${String(message)}`);
  expect(warned({})).toEqual([expect.stringMatching(/^warn: The function steps w\/pay have no effect/)]);
  expect(warned({ storage: undefined })).toEqual([]);
});

describe("RunService.serve", () => {
  it("serves the engine once, with the concurrency, as a process that others know of", async () => {
    const { service, calls, nodes } = begin();
    const serving = await service.serve({ concurrency: 3 });
    expect(calls).toEqual([["serve", { concurrency: 3 }]]);
    expect(await nodes()).toEqual(["here"]);
    await expect(service.serve()).rejects.toMatchObject(taken);
    await serving.drain(5);
    expect(calls.slice(1)).toEqual([["drain", 5]]);
    expect(await nodes()).toEqual([]);
  });

  it("refuses a second call also while the first one begins, and takes one after the drain, with the default", async () => {
    const { service, calls } = begin();
    const first = service.serve();
    await expect(service.serve()).rejects.toMatchObject(taken);
    await (await first).drain(0);
    await service.serve();
    expect(calls).toEqual([
      ["serve", { concurrency: 100 }],
      ["drain", 0],
      ["serve", { concurrency: 100 }],
    ]);
  });

  it("takes another call after one that failed, which leaves nothing behind", async () => {
    const { service, calls, fails, nodes } = begin();
    fails.add("serve");
    await expect(service.serve()).rejects.toThrow("No serve.");
    expect(await nodes()).toEqual([]);
    fails.clear();
    await service.serve();
    expect(await nodes()).toEqual(["here"]);
    expect(calls).toHaveLength(2);
  });

  it.each([0, 1.5, "many"])("refuses the concurrency %j before it serves", async (concurrency) => {
    const { service, calls } = begin();
    await expect(service.serve({ concurrency: concurrency as number })).rejects.toMatchObject({
      code: "invalid_config",
    });
    expect(calls).toEqual([]);
    await service.serve();
  });

  it("leaves open runs of others to an engine of several processes, but for those that wait for an upgrade", async () => {
    const { service, storage, calls } = begin();
    const store = new RunStore(storage, () => 5);
    for (const runId of ["r1", "r2"]) await store.insert(newRecord({ runId, createdAt: 1 }));
    const open = (await storage.get("run-open", "r2")) as object;
    await storage.set("run-open", "r2", { ...open, waitsForUpgrade: true });
    await service.serve();
    expect(calls.slice(1)).toEqual([["submit", "r2"]]);
  });
});

describe("the sweep of a service", () => {
  it("warns when it cannot look through the runs, and goes on", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    onTestFinished(() => void vi.useRealTimers());
    const state = { fails: false };
    const storage = faultyStorage(new InMemoryStorage(), () => (state.fails ? "fail-before" : undefined));
    const { service, logged } = begin({ storage });
    await service.serve();
    state.fails = true;
    await vi.advanceTimersByTimeAsync(10_000);
    await vi.waitFor(() =>
      expect(logged()).toContainEqual(
        expect.objectContaining({
          level: "warn",
          message: "Durable runs could not be looked through. That is tried again.",
          error: expect.objectContaining({ code: "storage_unavailable" }) as unknown,
        }),
      ),
    );
    state.fails = false;
  });

  it("stops with the drain, and hears until then of cancels by other processes", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    onTestFinished(() => void vi.useRealTimers());
    const { driver, inner } = new RemoteStorage();
    const hanging = scriptedAgent([{ hang: true }]);
    const { service, perform } = begin({ storage: driver, agents: { a: hanging } });
    await service.serve();
    const { runId } = await service.accept(request);
    const performed = perform()({ runId, activation: 1 }, new AbortController().signal);
    await untilStatus(service, runId, "running");
    await inner.set("run-inbox", `${runId}/cancel`, { v: 1, reason: "Elsewhere." });
    await vi.advanceTimersByTimeAsync(1000);
    await performed;
    expect(await untilStatus(service, runId, "cancelled")).toMatchObject({
      error: { code: "cancelled", message: "The run was cancelled: Elsewhere." },
    });
    expect(vi.getTimerCount()).toBeGreaterThan(0);
    await service.drain(0);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe("RunService.close", () => {
  it("drains at once, and leaves an engine and a storage that were given open", async () => {
    const { service, storage, calls } = begin();
    const close = vi.spyOn(storage, "close");
    await service.serve();
    await service.close();
    await service.close();
    expect(calls.slice(1)).toEqual([["drain", 0]]);
    expect(close).not.toHaveBeenCalled();
    expect(await storage.list("run-nodes")).toEqual([]);
  });

  it("refuses all that begins something from its call on, and ends the readers", async () => {
    const { service } = begin();
    const { runId } = await service.accept(request);
    const reading = service.events(runId, "host").next();
    const closing = service.close();
    await expect(service.accept(request)).rejects.toMatchObject(closed);
    await expect(service.serve()).rejects.toMatchObject(closed);
    for (const read of ["events", "storedEvents"] as const) {
      expect(() => service[read](runId, "host")).toThrow(expect.objectContaining(closed));
    }
    await closing;
    await expect(reading).rejects.toMatchObject({ code: "unavailable" });
  });

  it("forgets nothing any more of sessions that are deleted in the stores of its runnables", async () => {
    const { service, storage } = begin({ agents: { a: scriptedAgent([{ text: "1" }, { text: "2" }]) } });
    const agent = service.find("agent", "a") as ReturnType<typeof scriptedAgent>;
    const inSession = { ...request, options: { sessionId: "s" } };
    await agent.run("Hi.", { sessionId: "s" });
    await service.accept(inSession);
    await agent.sessions.deleteSession("s");
    expect(await storage.list("runs")).toEqual([]);
    await agent.run("Hi.", { sessionId: "s" });
    await service.accept(inSession);
    await service.close();
    await agent.sessions.deleteSession("s");
    expect(await storage.list("runs")).toHaveLength(1);
  });

  it("rejects with what failed, after all was ended", async () => {
    const { service, fails } = begin();
    await service.serve();
    fails.add("drain");
    await expect(service.close()).rejects.toThrow("No drain.");
    fails.clear();
    expect(() => service.events("r", "host")).toThrow(expect.objectContaining(closed));
  });
});

describe("an answer", () => {
  it("submits the run that it wakes, and nothing when it comes again or goes to a run under way", async () => {
    const { service, calls, perform } = begin({ agents: { a: askingRunnable() } });
    await service.serve();
    const { runId } = await service.accept(request);
    await perform()({ runId, activation: 1 }, new AbortController().signal);
    calls.length = 0;
    await service.answer(runId, "t.0.0", { approved: true }, "host");
    expect(calls).toEqual([["submit", runId]]);
    await service.answer(runId, "t.0.0", { approved: true }, "host");
    expect(calls).toHaveLength(1);
    await expect(service.answer(runId, "t.0.0", { approved: false }, "host")).rejects.toMatchObject({
      code: "conflict",
    });
  });
});
