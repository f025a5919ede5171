import { describe, expect, it } from "vitest";
import { InMemoryStorage } from "../storage/in-memory-storage.ts";
import { askingRunnable } from "./test/asking-runnable.ts";
import { makeService, readEvents, request, scriptedAgent, serveRuns, textOf, untilStatus } from "./test/services.ts";

describe("RunService", () => {
  it("performs a run, tells its events under positions, and keeps its public output [durable.events]", async () => {
    const service = await serveRuns({
      agents: { a: scriptedAgent([{ text: "Good day." }]) },
      storage: new InMemoryStorage(),
    });

    const { runId, sessionId, isNew } = await service.accept(request);
    const events = await readEvents(service, runId);

    expect(isNew).toBe(true);
    expect(textOf(events)).toBe("Good day.");
    expect(events.at(0)).toMatchObject({ id: "1.0", type: "attempt", attempt: 1 });
    expect(events.at(-1)).toMatchObject({ type: "end", output: { text: "Good day.", runId, sessionId } });
    const view = await untilStatus(service, runId, "completed");
    expect(view).toMatchObject({
      runId,
      kind: "agent",
      name: "a",
      sessionId,
      attempts: 1,
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
