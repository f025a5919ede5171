import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { askingRunnable } from "./test/asking-runnable.ts";
import { makeService, readEvents, request, scriptedAgent, serveRuns, textOf, untilStatus } from "./test/services.ts";
import { SharedQueue } from "./test/shared-queue.ts";
import { attemptsIn, twoNodes } from "./test/two-nodes.ts";

const answering = (text: string) => ({ agents: { a: scriptedAgent([{ text }]) } });

/** Kills a process at its n-th call on the storage from now on. Returns the number of calls that it made before. */
function killAt(queue: SharedQueue, node: string, calls: number): () => number {
  let count = 0;
  queue.onCall = (caller) => {
    if (caller !== node) return;
    if (count === calls) queue.kill(node);
    else count += 1;
  };
  return () => count;
}

/** Waits for a promise that may never settle, because its process was killed. */
async function settled(work: Promise<unknown>): Promise<void> {
  await Promise.race([work.catch(() => undefined), new Promise((resolve) => setTimeout(resolve, 100))]);
}

const faked = ["Date", "setTimeout", "clearTimeout", "setInterval", "clearInterval", "performance"] as const;

/** Begins a run that waits for an answer, off the list of open runs. One process takes requests, the other performs. */
async function beginWaiting() {
  const queue = new SharedQueue();
  const agents = { a: askingRunnable() };
  const api = makeService({ agents, ...queue.node("api") });
  const worker = await serveRuns({ agents, ...queue.node("worker") });
  const { runId } = await worker.accept(request);
  await untilStatus(worker, runId, "waiting");
  await vi.waitUntil(async () => (await queue.storage.list("run-open")).length === 0);
  return { queue, api, worker, runId };
}

describe("two processes of one service", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: [...faked], shouldAdvanceTime: true }));
  afterEach(() => void vi.useRealTimers());

  it("keep each run that was accepted, whenever the accepting process dies [durable.accepted-is-kept]", async () => {
    for (let calls = 0; ; calls += 1) {
      const queue = new SharedQueue();
      const api = makeService({ ...answering(""), ...queue.node("api") });
      const worker = await serveRuns({ ...answering("Kept."), ...queue.node("worker") });
      const made = killAt(queue, "api", calls);
      const accepted = api.accept({ ...request, idempotencyKey: "k" });
      await settled(accepted);
      const isWhole = made() < calls;
      await vi.advanceTimersByTimeAsync(45_000);
      const again = await worker.accept({ ...request, idempotencyKey: "k" });
      expect(textOf(await readEvents(worker, again.runId))).toBe("Kept.");
      expect(await attemptsIn(queue, again.runId)).toBe(1);
      await worker.close();
      if (isWhole) break;
    }
  });

  it("go on with each answer that was stored, whenever the process that took it dies [durable.wait]", async () => {
    for (let calls = 0; ; calls += 1) {
      const { queue, api, worker, runId } = await beginWaiting();
      const made = killAt(queue, "api", calls);
      await settled(api.answer(runId, "t.0.0", { approved: true }, "host"));
      const isWhole = made() < calls;
      const isStored = (await queue.storage.list("run-inbox")).length > 0;
      await vi.advanceTimersByTimeAsync(45_000);
      if (!isStored) await worker.answer(runId, "t.0.0", { approved: true }, "host");
      expect(await untilStatus(worker, runId, "completed")).toMatchObject({ attempts: 2 });
      await worker.close();
      if (isWhole) break;
    }
  });

  it("end each waiting run whose cancel was stored, whenever the process that took it dies [durable.cancel]", async () => {
    for (let calls = 0; ; calls += 1) {
      const { queue, api, worker, runId } = await beginWaiting();
      const made = killAt(queue, "api", calls);
      await settled(api.cancel(runId, "host"));
      const isWhole = made() < calls;
      const isStored = (await queue.storage.list("run-inbox")).length > 0;
      await vi.advanceTimersByTimeAsync(45_000);
      if (!isStored) await worker.cancel(runId, "host");
      expect(await untilStatus(worker, runId, "cancelled")).toMatchObject({ error: { code: "cancelled" } });
      await worker.close();
      if (isWhole) break;
    }
  });

  it("end a wait in time whose process died", async () => {
    const until = Date.now() + 60_000;
    const agents = { a: askingRunnable({ kind: "approval", about: {}, until }) };
    const { queue, one, two } = await twoNodes({ agents });
    const { runId } = await one.accept(request);
    const { node = "" } = await untilStatus(one, runId, "waiting");
    queue.kill(node);
    const left = node === "one" ? two : one;
    await vi.advanceTimersByTimeAsync(80_000);

    const view = await untilStatus(left, runId, "completed");
    expect(view).toMatchObject({ output: { text: expect.stringContaining('"approved":false') } });
    expect(view.node).not.toBe(node);
  });
});
