import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { StorageDriver } from "../../sessions/storage/storage-driver.ts";
import { defineTool } from "../../agents/tool/define-tool.ts";
import { Workflow } from "../../agents/workflow/workflow.ts";
import { request, scriptedAgent, serveRuns, untilStatus } from "./test/services.ts";
import { SharedQueue } from "./test/shared-queue.ts";

/** Makes an agent with a tool and a workflow with a step for one process. Each call adds the name of the process to `effects`. */
function served(node: string, effects: string[]) {
  const send = defineTool({
    name: "send",
    description: "Sends.",
    parameters: { type: "object" },
    execute: () => {
      effects.push(node);
      return "sent";
    },
    verify: async () => (effects.length > 0 ? { result: "sent" } : null),
  });
  const step = { name: "send", effect: "idempotent", run: () => void effects.push(node) } as const;
  const answers = [{ toolCalls: [{ name: "send" }] }, { text: "Done." }];
  return {
    // The second process gets the first answer from the log.
    agents: { a: scriptedAgent(node === "one" ? answers : answers.slice(1), { tools: [send] }) },
    workflows: { w: new Workflow({ name: "w", initialState: {}, steps: [step] }) },
  };
}

/** Calls `onStart` each time that the start of a call is stored, before the process hears of that. */
function watchStarts(storage: StorageDriver, onStart: () => Promise<void>): StorageDriver {
  const insertAll = storage.insertAll?.bind(storage);
  storage.insertAll = async (writes) => {
    const inserted = (await insertAll?.(writes)) ?? [];
    if (JSON.stringify(writes).includes('"t":"call"')) await onStart();
    return inserted;
  };
  return storage;
}

async function startsIn({ storage }: SharedQueue, runId: string): Promise<number> {
  return JSON.stringify(await storage.list("run-log", `${runId}/`)).split('"t":"call"').length - 1;
}

const runs = { tool: request, step: { kind: "workflow", name: "w", input: {} } } as const;
const faked = ["Date", "setTimeout", "clearTimeout", "setInterval", "clearInterval", "performance"] as const;

describe("a process that stands still between the stored start of a call and the call", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: [...faked], shouldAdvanceTime: true }));
  afterEach(() => void vi.useRealTimers());

  it.each(["tool", "step"] as const)(
    "does not make the call when another process has made it meanwhile: %s [durable.stalled]",
    async (kind) => {
      const queue = new SharedQueue();
      const effects: string[] = [];
      const [stopped, continued] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const one = queue.node("one");
      watchStarts(one.storage, async () => {
        stopped.resolve();
        await continued.promise;
      });
      const before = await serveRuns({ ...served("one", effects), ...one });
      const { runId } = await before.accept(runs[kind]);
      await stopped.promise;
      const after = await serveRuns({ ...served("two", effects), ...queue.node("two") });
      await vi.advanceTimersByTimeAsync(3000);
      await queue.deliver("two", { runId, activation: 1 });
      expect(await untilStatus(after, runId, "completed")).toMatchObject({ node: "two", attempts: 2 });
      continued.resolve();
      await vi.waitFor(() => expect(queue.deliveries.map(({ node }) => node)).toContain("one"));

      expect(effects).toEqual(["two"]);
    },
  );

  it("makes the call when it still has the run", async () => {
    const queue = new SharedQueue();
    const effects: string[] = [];
    const one = queue.node("one");
    let stops = 0;
    watchStarts(one.storage, async () => void (stops++ === 0 && (await vi.advanceTimersByTimeAsync(3000))));
    const service = await serveRuns({ ...served("one", effects), ...one });
    const { runId } = await service.accept(request);

    expect(await untilStatus(service, runId, "completed")).toMatchObject({ attempts: 1 });
    expect(effects).toEqual(["one"]);
    expect(await startsIn(queue, runId)).toBe(2);
  });

  it("makes the call after a while on a storage that is always so slow", async () => {
    const queue = new SharedQueue();
    const effects: string[] = [];
    const one = queue.node("one");
    watchStarts(one.storage, async () => void (await vi.advanceTimersByTimeAsync(3000)));
    const service = await serveRuns({ ...served("one", effects), ...one });
    const { runId } = await service.accept(request);
    await untilStatus(service, runId, "completed");

    expect(effects).toEqual(["one"]);
    expect(await startsIn(queue, runId)).toBe(3);
  });
});
