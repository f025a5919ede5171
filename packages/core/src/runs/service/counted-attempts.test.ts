import { describe, expect, it } from "vitest";
import { LogWriter } from "../../agents/journal/log-writer.ts";
import type { LogEntry } from "../../agents/journal/log-entry.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import type { StorageDriver } from "../../sessions/storage/storage-driver.ts";
import type { RunService } from "./run-service.ts";
import { makeService, readEvents, request, scriptedAgent, untilStatus } from "./test/services.ts";

const inSession = { ...request, options: { sessionId: "s" } };

function attempt(n: number): LogEntry {
  return { t: "attempt", n, id: `gone ${n}`, at: 1000 + n, node: `gone ${n}`, print: "" };
}

/** A run whose log has what processes wrote that died before any of it was in its record. */
async function crashedRun(...entries: LogEntry[]) {
  const storage = new InMemoryStorage();
  const agent = scriptedAgent([{ text: "Done." }, { text: "Again." }], { storage });
  const service = makeService({ agents: { a: agent }, storage });
  const { runId } = await service.accept(inSession);
  const log = new LogWriter(storage).open(runId, 1);
  for (const entry of entries) log.add(entry, true);
  await log.stored();
  return { storage, service, agent, runId };
}

/** The attempts of a run as its record, its view, its events and its log have them. */
async function countedIn(storage: StorageDriver, service: RunService, runId: string): Promise<number[]> {
  const record = (await storage.get("runs", runId)) as { attempts: number };
  const events = await readEvents(service, runId);
  const log = JSON.stringify(await storage.list("run-log", `${runId}/`));
  return [
    record.attempts,
    (await service.get(runId, "host")).attempts,
    events.filter(({ type }) => type === "attempt").length,
    log.split('"t":"attempt"').length - 1,
  ];
}

describe("the number of attempts at a run whose processes died before they wrote its record", () => {
  it("counts them before another one goes on with the run", async () => {
    const { service, runId } = await crashedRun(attempt(1), attempt(2));

    expect(await service.get(runId, "host")).toMatchObject({ status: "queued", attempts: 2, node: "gone 2" });
  });

  it("counts them when another one completes the run", async () => {
    const { storage, service, runId } = await crashedRun(attempt(1), attempt(2));
    await service.serve();
    await untilStatus(service, runId, "completed");

    expect(await countedIn(storage, service, runId)).toEqual([3, 3, 3, 3]);
  });

  it("counts them when the log has the end of the run already, with the process and the start of the run", async () => {
    const end: LogEntry = { t: "end", output: { text: "Done." } };
    const { storage, service, runId } = await crashedRun(attempt(1), attempt(2), end);
    const told = await service.get(runId, "host");
    await service.serve();
    await service.drain(0);

    expect(await storage.get("runs", runId)).toMatchObject({ attempts: 2, node: "gone 2", startedAt: 1001 });
    expect(await service.get(runId, "host")).toEqual({
      ...told,
      endedAt: expect.any(Number),
      expiresAt: expect.any(Number),
    });
    expect(await countedIn(storage, service, runId)).toEqual([2, 2, 2, 2]);
  });

  it("counts them, and the one that ends the run, when it is given up", async () => {
    const { storage, service, runId } = await crashedRun(attempt(1), attempt(2), attempt(3));
    await service.serve();

    expect((await untilStatus(service, runId, "error")).error?.code).toBe("crashed");
    expect(await countedIn(storage, service, runId)).toEqual([4, 4, 4, 4]);
  });

  it("counts them when the run is cancelled, and its session takes other runs", async () => {
    const { storage, service, agent, runId } = await crashedRun(attempt(1));
    await agent.run("Hello.", { sessionId: "s" });
    // The process died between this note and the record.
    await agent.sessions.noteWait("s", runId, { owner: {} });
    await service.cancel(runId, "host");
    await service.serve();
    await untilStatus(service, runId, "cancelled");

    expect(await countedIn(storage, service, runId)).toEqual([2, 2, 2, 2]);
    await expect(agent.run("Hello.", { sessionId: "s" })).resolves.toMatchObject({ text: "Again." });
  });
});
