import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { sleep } from "../../base/async/sleep.ts";
import { defineTool } from "../../agents/tool/define-tool.ts";
import type { RunService } from "./run-service.ts";
import { askingRunnable, runnableOf } from "./test/asking-runnable.ts";
import { makeService, readEvents, request, scriptedAgent, serveRuns, untilStatus } from "./test/services.ts";
import { SharedQueue } from "./test/shared-queue.ts";
import { attemptsIn, twoNodes } from "./test/two-nodes.ts";

/** A runnable that talks until its signal aborts. */
const endless = runnableOf(async function* (journal, { signal }) {
  for (;;) {
    yield { type: "text", text: "on and on" };
    await sleep(300, AbortSignal.any([signal ?? journal.durable.signal, journal.durable.signal]));
  }
});

const answering = (text: string) => ({ agents: { a: scriptedAgent([{ text }]) } });

const faked = ["Date", "setTimeout", "clearTimeout", "setInterval", "clearInterval", "performance"] as const;

describe("two processes of one service", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: [...faked], shouldAdvanceTime: true }));
  afterEach(() => void vi.useRealTimers());

  it("perform a run once of which both get the job at the same time", async () => {
    const calls: string[] = [];
    const work = defineTool({
      name: "work",
      description: "Works.",
      parameters: { type: "object" },
      execute: async () => {
        calls.push("called");
        await sleep(20);
        return "done";
      },
    });
    const script = [{ toolCalls: [{ name: "work" }] }, { text: "Done." }];
    const { queue, one, two } = await twoNodes(() => ({ agents: { a: scriptedAgent(script, { tools: [work] }) } }));
    const api = makeService({ agents: { a: scriptedAgent([]) }, ...queue.node("api") });
    queue.kill("queue");
    const { runId } = await api.accept(request);
    const job = { runId, activation: 1 };
    await Promise.all([queue.deliver("one", job), queue.deliver("two", job)]);

    expect(await untilStatus(two, runId, "completed")).toMatchObject({ output: { text: "Done." } });
    expect(calls).toEqual(["called"]);
    expect((await readEvents(one, runId)).filter(({ type }) => type === "end")).toHaveLength(1);
    await Promise.all([queue.deliver("one", job), queue.deliver("two", job)]);
    expect(calls).toEqual(["called"]);
    await api.delete(runId, "host");
    await Promise.all([queue.deliver("one", job), queue.deliver("two", job)]);
    expect(await queue.storage.list("run-log")).toEqual([]);
  });

  it("leave a run to the attempt that is at it when another or an old job of it comes", async () => {
    const { queue, one } = await twoNodes({ agents: { a: endless } });
    const { runId } = await one.accept(request);
    await untilStatus(one, runId, "running");
    await queue.storage.set("runs", runId, {
      ...((await queue.storage.get("runs", runId)) as object),
      activation: 2,
    });
    const { node } = await one.get(runId, "host");
    const other = node === "one" ? "two" : "one";
    queue.kill("queue");
    expect(await queue.deliver(node ?? "", { runId, activation: 2 })).toMatchObject({ againInMs: expect.any(Number) });
    await queue.deliver(other, { runId, activation: 1 });

    expect(await attemptsIn(queue, runId)).toBe(1);
    await one.cancel(runId, "host");
    await untilStatus(one, runId, "cancelled");
  });

  it.each(["one", "api"])(
    "cancel a run that begins to wait while its cancel is on its way to the storage: through %s",
    async (through) => {
      const queue = new SharedQueue();
      const mayAsk = Promise.withResolvers<void>();
      const asking = runnableOf(async function* (journal) {
        yield { type: "text", text: "May I?" };
        await mayAsk.promise;
        journal.begin("t/0/0");
        return JSON.stringify(await journal.wait("t/0/0", { kind: "approval", about: null }));
      });
      const agents = { a: asking };
      const services = {
        one: await serveRuns({ agents, ...queue.node("one") }),
        api: makeService({ agents, ...queue.node("api") }),
      };
      const service = services[through as keyof typeof services];
      const { runId } = await services.one.accept(request);
      await vi.waitFor(async () => expect(await queue.storage.get("runs", runId)).toMatchObject({ status: "running" }));
      const put = queue.storage.compareAndSet.bind(queue.storage);
      let mayBeAsked = false;
      let held: unknown;
      vi.spyOn(queue.storage, "compareAndSet").mockImplementation(async (...args) => {
        if (args[0] === "run-inbox" && !mayBeAsked) {
          mayBeAsked = true;
          mayAsk.resolve();
          // The attempt is over: the run waits, and its open entry is held for the cancellation.
          while (queue.deliveries.length === 0) await sleep(2);
          held = await queue.storage.get("run-open", runId);
        }
        return await put(...args);
      });
      await service.cancel(runId, "host");

      expect(held).toMatchObject({ heldAt: expect.any(Number) as number });
      expect(await untilStatus(service, runId, "cancelled")).toMatchObject({ error: { code: "cancelled" } });
      await vi.waitFor(async () => expect(await queue.storage.list("run-open")).toEqual([]));
    },
  );

  it.each(["one", "api"])("say that a run is over as soon as its events say so: %s", async (asked) => {
    const { queue, one } = await twoNodes(answering("Done."));
    const api = makeService({ ...answering("Done."), ...queue.node("api") });
    const put = queue.storage.compareAndSet.bind(queue.storage);
    const isRead = Promise.withResolvers<void>();
    vi.spyOn(queue.storage, "compareAndSet").mockImplementation(async (...args) => {
      const [namespace, , , next] = args;
      if (namespace === "runs" && JSON.stringify(next).includes('"completed"')) await isRead.promise;
      return await put(...args);
    });
    const { runId } = await api.accept(request);
    await readEvents(api, runId);
    const run = await (asked === "one" ? one : api).get(runId, "host");
    isRead.resolve();

    expect(run).toMatchObject({ status: "completed", attempts: 1, output: { text: "Done." } });
    const { startedAt: _startedAt, endedAt: _endedAt, expiresAt: _expiresAt, ...rest } = run;
    expect(await untilStatus(one, runId, "completed")).toMatchObject(rest);
    await vi.waitFor(async () => expect(await queue.storage.get("runs", runId)).toMatchObject(rest));
  });

  it("cancel each other's runs within a second, those under way and those that just begin [durable.cancel]", async () => {
    for (let turns = 0; turns < 40; turns += 1) {
      const queue = new SharedQueue();
      const api = makeService({ agents: { a: endless }, ...queue.node("api") });
      const worker = await serveRuns({ agents: { a: endless }, ...queue.node("worker") });
      const { runId } = await api.accept(request);
      for (let turn = 0; turn < turns; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      expect(["cancelled", "cancelling"]).toContain(await api.cancel(runId, "host"));
      await vi.advanceTimersByTimeAsync(1100);
      expect(await untilStatus(api, runId, "cancelled")).toMatchObject({ error: { code: "cancelled" } });
      expect((await readEvents(api, runId)).filter(({ type }) => type === "end")).toHaveLength(1);
      await worker.close();
    }
  });

  it("hear of a cancel while they wait in a shutdown for the end of their runs [durable.cancel]", async () => {
    const queue = new SharedQueue();
    const api = makeService({ agents: { a: endless }, ...queue.node("api") });
    const worker = await serveRuns({ agents: { a: endless }, ...queue.node("worker") });
    const { runId } = await api.accept(request);
    await untilStatus(api, runId, "running");
    const drained = worker.drain(1_000_000);
    await api.cancel(runId, "host");
    await vi.advanceTimersByTimeAsync(1100);
    await drained;

    expect(await api.get(runId, "host")).toMatchObject({ status: "cancelled", attempts: 1 });
  });

  it("remove each other's runs with all that they wrote, at any time [durable.forget]", async () => {
    for (let turns = 0; turns < 40; turns += 1) {
      const queue = new SharedQueue();
      const api = makeService({ agents: { a: endless }, ...queue.node("api") });
      const worker = await serveRuns({ agents: { a: endless }, ...queue.node("worker") });
      const { runId } = await api.accept(request);
      for (let turn = 0; turn < turns; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      const removed = api.delete(runId, "host");
      await vi.advanceTimersByTimeAsync(3000);
      await removed;
      await vi.advanceTimersByTimeAsync(3000);
      await worker.drain(0);
      for (const namespace of ["runs", "run-log", "run-inbox", "run-open"]) {
        expect([turns, await queue.storage.list(namespace)]).toEqual([turns, []]);
      }
      await worker.close();
    }
  });

  it("accept one run for one idempotency key, when both are asked at once", async () => {
    const { queue, one, two } = await twoNodes(() => answering("Once."));
    const keyed = { ...request, idempotencyKey: "k" };
    const accepted = await Promise.all([one.accept(keyed), two.accept(keyed), one.accept(keyed)]);

    expect(new Set(accepted.map(({ runId }) => runId)).size).toBe(1);
    expect(accepted.filter(({ isNew }) => isNew)).toHaveLength(1);
    expect(await untilStatus(two, accepted[0]?.runId ?? "", "completed")).toMatchObject({ attempts: 1 });
    expect((await one.list("host")).runs).toHaveLength(1);
    expect(await queue.storage.list("run-by", "#session/")).toHaveLength(1);
  });

  it("take one of two answers that come at once, and tell the other that there is one [durable.wait]", async () => {
    const { one, two } = await twoNodes({ agents: { a: askingRunnable() } });
    const { runId } = await one.accept(request);
    await untilStatus(one, runId, "waiting");
    const put = async (service: RunService, approved: boolean) =>
      await service.answer(runId, "t.0.0", { approved }, "host");
    const results = await Promise.allSettled([put(one, true), put(two, false)]);

    const taken = results.findIndex(({ status }) => status === "fulfilled");
    expect(results[1 - taken]).toMatchObject({ status: "rejected", reason: { code: "conflict" } });
    const text = JSON.stringify({ approved: taken === 0 });
    expect(await untilStatus(one, runId, "completed")).toMatchObject({ attempts: 2, output: { text } });
  });
});
