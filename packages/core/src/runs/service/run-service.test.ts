import { afterEach, describe, expect, it, vi } from "vitest";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { RunService } from "./run-service.ts";
import { askingRunnable, runnableOf } from "./test/asking-runnable.ts";
import { makeService, readEvents, request, scriptedAgent, serveRuns, textOf, untilStatus } from "./test/services.ts";

describe("RunService", () => {
  it("performs a run, tells its events under positions, and keeps its public output [durable.events]", async () => {
    const service = await serveRuns({
      agents: { a: scriptedAgent([{ text: "Good day." }]) },
      storage: new InMemoryStorage(),
      node: "worker-2",
    });

    const { runId, sessionId, isNew } = await service.accept(request);
    const events = await readEvents(service, runId);

    expect(isNew).toBe(true);
    expect(textOf(events)).toBe("Good day.");
    expect(events.at(0)).toMatchObject({ id: "1.0", type: "attempt", attempt: 1, node: "worker-2" });
    expect(events.at(-1)).toMatchObject({ type: "end", output: { text: "Good day.", runId, sessionId } });
    const view = await untilStatus(service, runId, "completed");
    expect(view).toMatchObject({
      runId,
      kind: "agent",
      name: "a",
      sessionId,
      attempts: 1,
      node: "worker-2",
      output: { text: "Good day." },
    });
    expect(await readEvents(service, runId, events.at(2)?.id)).toEqual(events.slice(3));
  });

  it("takes up in a new service what was accepted before and never performed [durable.accepted-is-kept]", async () => {
    const storage = new InMemoryStorage();
    const before = makeService({ agents: { a: scriptedAgent([]) }, storage });
    const { runId } = await before.accept(request);
    await before.close();

    const after = await serveRuns({ agents: { a: scriptedAgent([{ text: "Late." }]) }, storage });

    expect(textOf(await readEvents(after, runId))).toBe("Late.");
  });

  it("names the process of the last attempt in its view, and none before the first attempt", async () => {
    const storage = new InMemoryStorage();
    const before = await serveRuns({ agents: { a: askingRunnable() }, storage, node: "first" });
    const { runId } = await before.accept(request);
    expect(await untilStatus(before, runId, "waiting")).toMatchObject({ node: "first" });
    await before.close();
    const after = makeService({ agents: { a: askingRunnable() }, storage, node: "second" });
    expect(await after.get((await after.accept(request)).runId, "host")).not.toHaveProperty("node");

    await after.serve();
    await after.answer(runId, "t.0.0", { approved: true }, "host");

    expect(await untilStatus(after, runId, "completed")).toMatchObject({ node: "second" });
  });

  it.each(["", " ", "a\nb", "a\u202eb", "n".repeat(101), 3])("refuses %j as the name of its process", (node) => {
    expect(() => new RunService({ node: node as string })).toThrow("node must be a string of 1 to 100");
  });

  it("goes on with a waiting run in another service after a restart, with the answer [durable.wait]", async () => {
    const storage = new InMemoryStorage();
    const before = await serveRuns({ agents: { a: askingRunnable() }, storage });
    const { runId } = await before.accept(request);
    const { waits = [] } = await untilStatus(before, runId, "waiting");
    expect(waits).toMatchObject([{ id: "t.0.0", kind: "approval", about: { toolName: "send" } }]);
    expect(await storage.list("run-open")).toEqual([]);
    await before.close();

    const after = await serveRuns({ agents: { a: askingRunnable() }, storage });
    await after.answer(runId, "t.0.0", { approved: true }, "host");
    const events = await readEvents(after, runId);

    expect(textOf(events)).toBe('{"approved":true}');
    expect(events.filter(({ type }) => type === "attempt")).toHaveLength(2);
    await untilStatus(after, runId, "completed");
  });
});

describe("the chunks of a durable run", () => {
  afterEach(() => void vi.useRealTimers());

  it("reach a reader without a timer, the first, and within 50 milliseconds, the others [durable.latency]", async () => {
    const [go, stop] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const agent = runnableOf(async function* () {
      yield { type: "text", text: "first" };
      await go.promise;
      for (const text of ["second", "third"]) yield { type: "text", text };
      await stop.promise;
      return "";
    });
    const service = await serveRuns({ agents: { a: agent }, storage: new InMemoryStorage() });
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const { runId } = await service.accept(request);
    let text = "";
    const reading = (async () => {
      for await (const event of service.events(runId, "host")) text += textOf([event]);
    })();
    const until = async (condition: () => boolean) => {
      while (!condition()) await new Promise(setImmediate);
    };
    await until(() => text === "first");

    const timers = vi.getTimerCount();
    go.resolve();
    await until(() => vi.getTimerCount() > timers);
    expect(text).toBe("first");
    await vi.advanceTimersByTimeAsync(50);
    await until(() => text === "firstsecondthird");

    stop.resolve();
    await reading;
  });
});
