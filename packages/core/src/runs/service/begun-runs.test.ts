import { describe, expect, it } from "vitest";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import type { StorageDriver } from "../../sessions/storage/storage-driver.ts";
import { faultyStorage } from "../../testing/faulty-storage.ts";
import { RunStore } from "../record/run-store.ts";
import { runnableOf } from "./test/asking-runnable.ts";
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

const agents = { a: scriptedAgent([{ text: "One." }, { text: "Two." }, { text: "Three." }]) };

/** A storage that notes the namespaces of its calls. */
function noting() {
  const calls: string[] = [];
  const storage = faultyStorage(new InMemoryStorage(), ({ method, args: [first] }) => {
    const names = Array.isArray(first) ? first.map(({ namespace }: { namespace: string }) => namespace) : [first];
    calls.push(`${method} ${names.join(" ")}`);
    return undefined;
  });
  return { storage, calls };
}

/** An agent whose runs go on until they are told to end. */
function waitingAgent() {
  const go = Promise.withResolvers<string>();
  const agent = runnableOf(async function* () {
    yield { type: "text", text: await go.promise };
    return "";
  });
  return { agent, end: () => go.resolve("Ended.") };
}

async function attemptsIn(storage: StorageDriver, runId: string): Promise<number> {
  const records = await storage.list("run-log", `${runId}/`);
  return JSON.stringify(records).split('"t":"attempt"').length - 1;
}

describe("a run that begins with its acceptance", () => {
  it("is stored with its first attempt, and performed and followed without a read of its record or log [durable.begins-at-once]", async () => {
    const { storage, calls } = noting();
    const service = await serveRuns({ agents, storage });
    calls.length = 0;
    const { runId } = await service.accept(request);
    const events = await readEvents(service, runId);

    expect(calls[0]).toBe("insertAll run-open run-by run-by run-log runs");
    expect(calls.filter((call) => /^(get|list) run/.test(call))).toEqual([]);
    expect(events.map(({ type }) => type)).toEqual(["attempt", "chunk", "done", "chunk", "end"]);
    expect(textOf(events)).toBe("One.");
    const view = await untilStatus(service, runId, "completed");
    expect(view).toMatchObject({ attempts: 1, startedAt: expect.any(Number) });
  });

  it("needs a place: one that would wait has no attempt before its turn", async () => {
    const storage = new InMemoryStorage();
    const { agent, end } = waitingAgent();
    const service = makeService({ agents: { a: agent }, storage });
    await service.serve({ concurrency: 1 });
    const [first, second] = await Promise.all([service.accept(request), service.accept(request)]);
    expect(await attemptsIn(storage, first.runId)).toBe(1);
    expect(await attemptsIn(storage, second.runId)).toBe(0);

    end();
    const events = await readEvents(service, second.runId);
    expect(events.map(({ type }) => type)).toEqual(["attempt", "chunk", "end"]);
  });

  it("gives back its place when it cannot be stored", async () => {
    let isDown = true;
    const storage = faultyStorage(new InMemoryStorage(), ({ method }) =>
      isDown && method === "insertAll" ? "fail-before" : undefined,
    );
    const service = makeService({ agents, storage });
    await service.serve({ concurrency: 1 });
    await expect(service.accept(request)).rejects.toMatchObject({ code: "storage_unavailable" });
    isDown = false;

    const { runId } = await service.accept(request);
    expect((await readEvents(service, runId)).at(-1)?.type).toBe("end");
  });

  it("is not begun with a long input, which is stored first", async () => {
    const { storage, calls } = noting();
    const service = await serveRuns({ agents, storage });
    const { runId } = await service.accept({ ...request, input: "x".repeat(40_000) });

    expect(calls).toContain("insertAll run-open run-by run-by runs");
    expect((await readEvents(service, runId)).at(-1)?.type).toBe("end");
  });

  it("is not begun for a request that may come twice, nor without a service that performs runs", async () => {
    const { storage, calls } = noting();
    const service = makeService({ agents, storage });
    await service.accept(request);
    await service.serve();
    await service.accept({ ...request, idempotencyKey: "k" });

    const accepted = calls.filter((call) => call.startsWith("insertAll run-open"));
    expect(accepted).toEqual(Array.from({ length: 2 }, () => "insertAll run-open run-by run-by runs"));
  });

  it("goes on as a second attempt where another process finds the first", async () => {
    fakeClock();
    const storage = new InMemoryStorage();
    const { agent } = waitingAgent();
    const before = await serveRuns({ agents: { a: agent }, storage });
    const { runId } = await before.accept(request);
    const reader = before.events(runId, "host");
    expect((await reader.next()).value).toMatchObject({ type: "attempt", attempt: 1 });
    await soon(before.close());

    const after = await serveRuns({ agents: { a: scriptedAgent([{ text: "Done." }]) }, storage });
    expect(textOf(await soon(readEvents(after, runId)))).toBe("Done.");
    expect((await soon(untilStatus(after, runId, "completed"))).attempts).toBe(2);
  });

  it("is no other run with its id, which keeps its own attempts", async () => {
    const storage = new InMemoryStorage();
    const { agent, end } = waitingAgent();
    const runId = "5b1e9f3c-0000-4000-8000-000000000009";
    const before = await serveRuns({ agents: { a: agent }, storage });
    await before.accept({ ...request, runId });
    const service = makeService({ agents, storage });
    await service.serve({ concurrency: 1 });
    await expect(service.accept({ ...request, runId })).rejects.toMatchObject({ code: "conflict" });
    // Its place was given back.
    const other = await service.accept(request);
    expect((await readEvents(service, other.runId)).at(-1)?.type).toBe("end");
    end();

    await untilStatus(before, runId, "completed");
    expect(await attemptsIn(storage, runId)).toBe(1);
  });

  it("leaves no log when its process died before its record was stored", async () => {
    const storage = new InMemoryStorage();
    const runId = "5b1e9f3c-0000-4000-8000-000000000009";
    const open = { v: 1, submittedAt: 1, activation: 1, priority: 10, owner: "-/-" };
    await storage.set("run-open", runId, open);
    await storage.set("run-log", `${runId}/000000000001`, { v: 1, entries: [] });
    let now = 1;
    const store = new RunStore(storage, () => now);
    await store.lists.closeOrphan(runId);
    now += 120_000;
    await store.lists.closeOrphan(runId);

    expect(await storage.list("run-open")).toEqual([]);
    expect(await storage.list("run-log")).toEqual([]);
  });
});
