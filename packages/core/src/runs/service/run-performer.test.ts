import { describe, expect, it, onTestFinished, vi } from "vitest";
import { LogWriter } from "../../agents/journal/log-writer.ts";
import type { TroupeError } from "../../base/errors/troupe-error.ts";
import { createLogger } from "../../base/log/logger.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import type { StorageDriver } from "../../sessions/storage/storage-driver.ts";
import { faultyStorage } from "../../testing/faulty-storage.ts";
import type { FaultPlan } from "../../testing/faulty-storage.ts";
import { sleep } from "../../base/async/sleep.ts";
import { defineTool } from "../../agents/tool/define-tool.ts";
import { askingRunnable, runnableOf } from "./test/asking-runnable.ts";
import {
  fakeClock,
  makeService,
  readEvents,
  request,
  scriptedAgent,
  serveRuns,
  soon,
  textOf,
  untilStatus,
} from "./test/services.ts";

/** A runnable that talks until its signal aborts. */
const endless = runnableOf(async function* (journal, { signal }) {
  yield { type: "text", text: "on and on" };
  await sleep(1_000_000, AbortSignal.any([signal ?? journal.durable.signal, journal.durable.signal]));
  return "";
});

describe("an attempt at a durable run", () => {
  it("ends as cancelled when it is cancelled, and says which calls are settled [durable.cancel]", async () => {
    const started = Promise.withResolvers<void>();
    const [quick, slow] = ["quick", "slow"].map((name) =>
      defineTool({
        name,
        description: "Works.",
        parameters: { type: "object" },
        execute: async (_args, { signal }) => {
          if (name === "quick") return "ready";
          started.resolve();
          await sleep(1_000_000, signal);
          return "never";
        },
      }),
    );
    const model = [{ toolCalls: [{ name: "quick" }] }, { toolCalls: [{ name: "slow" }] }];
    const agent = scriptedAgent(model, { tools: [quick, slow].flatMap((tool) => tool ?? []) });
    const service = await serveRuns({ agents: { a: agent }, storage: new InMemoryStorage() });
    const { runId } = await service.accept(request);
    await started.promise;

    expect(await service.cancel(runId, "host", "Enough.")).toBe("cancelling");
    const { error, output } = await untilStatus(service, runId, "cancelled");
    expect(error).toMatchObject({ code: "cancelled", message: "The run was cancelled: Enough." });
    expect(output).toMatchObject({
      toolStates: [
        { toolName: "quick", state: "settled" },
        { toolName: "slow", state: "unsettled" },
      ],
    });
  });

  it("ends as cancelled although it begins just when its run is cancelled as queued [durable.cancel]", async () => {
    for (let turns = 0; turns < 12; turns++) {
      const service = await serveRuns({ agents: { a: endless }, storage: new InMemoryStorage() });
      const { runId } = await service.accept(request);
      for (let turn = 0; turn < turns; turn++) await Promise.resolve();
      expect(["cancelled", "cancelling"]).toContain(await service.cancel(runId, "host"));
      await untilStatus(service, runId, "cancelled");
      expect((await readEvents(service, runId)).filter(({ type }) => type === "end")).toHaveLength(1);
    }
  });

  it("goes on with an answer that comes while the run is still at work beside its wait [durable.wait]", async () => {
    const go = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    const agent = runnableOf(async function* (journal) {
      const [asking, working] = [journal.begin("t/0/0"), journal.begin("t/0/1")];
      const answer = journal.wait("t/0/0", { kind: "input", about: {} });
      answer.catch(() => undefined);
      asked.resolve();
      await go.promise;
      working.done("kept");
      const given = await answer.finally(() => asking.leave());
      yield { type: "text", text: JSON.stringify(given) };
      return "";
    });
    const service = await serveRuns({ agents: { a: agent }, storage: new InMemoryStorage() });
    const { runId } = await service.accept(request);
    await asked.promise;
    for await (const event of service.events(runId, "host")) if (event.type === "wait") break;
    expect((await service.get(runId, "host")).status).toBe("running");
    await service.answer(runId, "t.0.0.input", { result: 5 }, "host");
    go.resolve();

    expect(textOf(await readEvents(service, runId))).toBe('{"result":5}');
    expect((await untilStatus(service, runId, "completed")).attempts).toBe(2);
  });

  it("leaves the end to an attempt that begins while its run is cancelled as queued [durable.cancel]", async () => {
    const storage = new InMemoryStorage();
    const insertAll = storage.insertAll.bind(storage);
    const other = { v: 1, entries: [{ t: "attempt", n: 2, id: "other", node: "other", print: "" }] };
    const overtaking = Object.assign(storage, {
      insertAll: async (writes: Parameters<typeof insertAll>[0]) => {
        const inserted = await insertAll(writes);
        const [first] = writes;
        if (first?.namespace === "run-log" && first.key.endsWith("/000000000001")) {
          await insertAll([{ ...first, key: first.key.replace(/1$/, "2"), value: other }]);
        }
        return inserted;
      },
    });
    const service = makeService({ agents: { a: scriptedAgent([]) }, storage: overtaking });
    const { runId } = await service.accept(request);

    expect(await service.cancel(runId, "host")).toBe("cancelling");
    await service.serve();
    await untilStatus(service, runId, "cancelled");
  });

  it("is made anew by the next service when its own is drained, and tells no end [durable.drain]", async () => {
    const storage = new InMemoryStorage();
    const before = await serveRuns({ agents: { a: endless }, storage });
    const { runId } = await before.accept(request);
    const reader = before.events(runId, "host");
    while ((await reader.next()).value?.type !== "chunk");
    await before.drain(0);
    expect((await before.get(runId, "host")).endedAt).toBeUndefined();
    await before.close();

    const after = await serveRuns({ agents: { a: scriptedAgent([{ text: "Done." }]) }, storage });
    const events = await readEvents(after, runId);
    expect(textOf(events)).toContain("Done.");
    expect(events.filter(({ type }) => type === "end")).toHaveLength(1);
    expect((await untilStatus(after, runId, "completed")).attempts).toBe(2);
  });

  it("goes on after any number of processes that were drained in the midst of one long step [durable.drain]", async () => {
    const storage = new InMemoryStorage();
    let runId = "";
    for (let drains = 0; drains < 5; drains += 1) {
      const service = await serveRuns({ agents: { a: endless }, storage });
      if (runId === "") ({ runId } = await service.accept(request));
      await vi.waitFor(async () => {
        const log = JSON.stringify(await storage.list("run-log", `${runId}/`));
        expect(log.split('"t":"attempt"')).toHaveLength(drains + 2);
      });
      await service.drain(0);
    }
    const last = await serveRuns({ agents: { a: scriptedAgent([{ text: "Said." }]) }, storage });

    expect(await untilStatus(last, runId, "completed")).toMatchObject({ attempts: 6, output: { text: "Said." } });
    const events = await readEvents(last, runId);
    expect(textOf(events)).toContain("Said.");
    expect(events.filter(({ type }) => type === "attempt")).toHaveLength(6);
  });

  it("is the last one after three that finished no step [durable.crashed]", async () => {
    const storage = new InMemoryStorage();
    const before = makeService({ agents: { a: scriptedAgent([]) }, storage });
    const { runId } = await before.accept(request);
    const log = new LogWriter(storage).open(runId, 1);
    for (const n of [1, 2, 3]) {
      log.add({ t: "attempt", n, id: `${n}`, node: "gone", print: "" }, true);
      await log.stored();
    }
    await before.serve();

    const { error } = await untilStatus(before, runId, "error");
    expect(error?.code).toBe("crashed");
    expect((await readEvents(before, runId)).at(-1)).toMatchObject({ type: "end", error: { code: "crashed" } });
  });

  it("answers a question itself whose time is over [durable.until]", async () => {
    vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"], shouldAdvanceTime: true });
    onTestFinished(() => void vi.useRealTimers());
    const agents = { a: askingRunnable({ kind: "approval", about: {}, until: Date.now() + 20_000 }) };
    const service = await serveRuns({ agents, storage: new InMemoryStorage(), now: () => Date.now() });
    const { runId } = await service.accept(request);
    await untilStatus(service, runId, "waiting");
    await vi.advanceTimersByTimeAsync(20_000);

    expect(textOf(await readEvents(service, runId))).toContain('"approved":false');
    await expect(service.answer(runId, "t.0.0", { approved: true }, "host")).rejects.toMatchObject({
      code: "conflict",
    });
  });
});

describe("a storage that fails", () => {
  /** A service over a storage whose calls fail as planned. */
  async function faulty(plan: FaultPlan, storage: StorageDriver = new InMemoryStorage()) {
    const agents = { a: scriptedAgent([{ text: "1" }, { text: "2" }, { text: "3" }, { text: "4" }]) };
    return await serveRuns({ agents, storage: faultyStorage(storage, plan) });
  }

  it("refuses a run that cannot be stored, and keeps nothing of it", async () => {
    const service = await faulty(({ method }) => (method === "insertAll" ? "fail-before" : undefined));
    await expect(service.accept(request)).rejects.toMatchObject({ code: "storage_unavailable" });
  });

  it("ends the readers of its run as storage_unavailable, and the run goes on when it is back [durable.storage-faults]", async () => {
    fakeClock();
    let isDown = false;
    const service = await faulty(({ method, args }) => {
      const written = JSON.stringify(args[0]);
      // Not the acceptance, which stores the first record of the log with the run.
      const isLog = written.includes("run-log") && !written.includes("run-open");
      return isDown && isLog && (method === "insertAll" || method === "compareAndSet") ? "fail-before" : undefined;
    });
    isDown = true;
    const { runId } = await service.accept(request);
    const failure = await soon(readEvents(service, runId)).catch((error: TroupeError) => error);
    isDown = false;

    expect(failure).toMatchObject({ code: "storage_unavailable" });
    // The first answer was never stored: the model was asked anew.
    expect(textOf(await soon(readEvents(service, runId)))).toBe("2");
    await soon(untilStatus(service, runId, "completed"));
  });

  it("lets a run go on whose session could not be reached, and stores its turn once [durable.storage-faults]", async () => {
    fakeClock();
    const storage = new InMemoryStorage();
    let appends = 0;
    const sessions = faultyStorage(storage, ({ method }) =>
      /append|insert/.test(method) && ++appends === 1 ? "fail-before" : undefined,
    );
    const agent = scriptedAgent([{ text: "The answer." }], { storage: sessions });
    const service = await serveRuns({ agents: { a: agent }, storage });
    const { runId } = await service.accept(request);
    const { attempts, output } = await soon(untilStatus(service, runId, "completed"));

    expect(attempts).toBe(2);
    expect(output).toMatchObject({ text: "The answer." });
    expect(await storage.list("turns")).toMatchObject([{ value: { runId, status: "completed" } }]);
  });

  it("ends a run whose log is damaged as storage_corrupt, and no other [durable.storage-faults]", async () => {
    const storage = new InMemoryStorage();
    const before = makeService({ agents: { a: scriptedAgent([]) }, storage });
    const [damaged, whole] = [await before.accept(request), await before.accept(request)];
    const lines: string[] = [];
    await storage.set("run-log", `${damaged.runId}/000000000001`, { damaged: true });
    await before.close();
    const logger = createLogger({ level: "error", write: (line) => void lines.push(line) });
    const after = await serveRuns({ agents: { a: scriptedAgent([{ text: "Fine." }]) }, storage, logger });

    expect((await untilStatus(after, damaged.runId, "error")).error?.code).toBe("storage_corrupt");
    expect(lines).toEqual([expect.stringContaining(damaged.runId)]);
    expect(lines[0]).toContain("storage_corrupt");
    await expect(readEvents(after, damaged.runId)).rejects.toMatchObject({ code: "storage_corrupt" });
    expect(textOf(await readEvents(after, whole.runId))).toBe("Fine.");
  });
});
