import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createLogger } from "../../base/log/logger.ts";
import { askingRunnable } from "./test/asking-runnable.ts";
import { makeService, request, serveRuns, untilStatus } from "./test/services.ts";
import { SharedQueue } from "./test/shared-queue.ts";

function recordingLogger() {
  const lines: string[] = [];
  return { lines, logger: createLogger({ level: "warn", write: (line) => void lines.push(line) }) };
}

const faked = ["Date", "setTimeout", "clearTimeout", "setInterval", "clearInterval", "performance"] as const;

describe("the processes of a service whose engine, run or client is away", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: [...faked], shouldAdvanceTime: true }));
  afterEach(() => void vi.useRealTimers());

  it("accept and cancel runs while the engine is away, and perform them when it is back", async () => {
    const queue = new SharedQueue();
    const { lines, logger } = recordingLogger();
    const agents = { a: askingRunnable() };
    const api = makeService({ agents, logger, ...queue.node("api") });
    const worker = await serveRuns({ agents, ...queue.node("worker") });
    const asked = await api.accept(request);
    await untilStatus(api, asked.runId, "waiting");
    // The number of waiting runs is kept for a second.
    await vi.advanceTimersByTimeAsync(1100);
    queue.isAway = true;
    const { runId } = await api.accept(request);
    const cancelled = await api.cancel(asked.runId, "host");
    queue.isAway = false;
    await vi.advanceTimersByTimeAsync(45_000);

    expect(cancelled).toBe("cancelled");
    await untilStatus(worker, runId, "waiting");
    expect(lines).toEqual([
      expect.stringContaining("The engine cannot count the runs that wait: their number is not limited."),
      expect.stringContaining("The engine did not take a run. It is submitted again."),
      expect.stringContaining("The engine could not drop the job of a cancelled run."),
    ]);
  });

  it("say that a job names a run which is not in their storage", async () => {
    const { lines, logger } = recordingLogger();
    const queue = new SharedQueue();
    await serveRuns({ agents: {}, logger, ...queue.node("one") });
    await queue.deliver("one", { runId: "5b1e9f3c-0000-4000-8000-000000000009", activation: 1 });

    expect(lines).toEqual([expect.stringContaining("give each service a queue of its own")]);
  });

  it("hold no timer for a run that waits, whose answer may come for a minute", async () => {
    const agents = { a: askingRunnable({ kind: "approval", about: {}, until: Date.now() + 60_000 }) };
    const queue = new SharedQueue();
    const one = await serveRuns({ agents, ...queue.node("one") });
    // The first look for due schedules has been made.
    await vi.advanceTimersByTimeAsync(10);
    const before = vi.getTimerCount();
    const { runId } = await one.accept(request);
    await untilStatus(one, runId, "waiting");
    await vi.waitUntil(() => queue.deliveries.length === 1);
    await vi.advanceTimersByTimeAsync(6000);

    expect(vi.getTimerCount()).toBe(before);
  });
});
