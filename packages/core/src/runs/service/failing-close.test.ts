import { describe, expect, it, onTestFinished, vi } from "vitest";
import { LocalEngine } from "../processes/local-engine.ts";
import type { EngineServeOptions, Perform, Serving } from "../processes/run-engine.ts";
import { defineTool } from "../../agents/tool/define-tool.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { RunService } from "./run-service.ts";
import { request, scriptedAgent } from "./test/services.ts";

/** An engine whose database is away when its work is to end. */
class LostEngine extends LocalEngine {
  override async serve(perform: Perform, options: EngineServeOptions): Promise<Serving> {
    const serving = await super.serve(perform, options);
    const drain = async (): Promise<void> => {
      await serving.drain(0);
      throw new Error("The engine is away.");
    };
    return { drain };
  }
}

async function serveLost() {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  onTestFinished(() => void vi.useRealTimers());
  const storage = new InMemoryStorage();
  const service = new RunService({ agents: { a: scriptedAgent([{ hang: true }]) }, storage, engine: new LostEngine() });
  await service.serve();
  const { runId } = await service.accept(request);
  const events = Array.fromAsync(service.events(runId, "host"));
  return { service, events };
}

describe("a service whose engine cannot end its work", () => {
  it("ends its readers and its timers all the same when it is closed, and tells of the failure", async () => {
    const { service, events } = await serveLost();
    expect(vi.getTimerCount()).toBeGreaterThan(0);
    await expect(service.close()).rejects.toThrow("The engine is away.");

    await expect(events.catch(() => "ended")).resolves.toBeDefined();
    expect(vi.getTimerCount()).toBe(0);
  });

  it("performs no runs any more when it is drained, and can serve again", async () => {
    const { service } = await serveLost();
    await expect(service.drain(0)).rejects.toThrow("The engine is away.");
    expect(vi.getTimerCount()).toBe(0);
    await service.serve();

    await service.close().catch(() => undefined);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe("a service with a run that waits for an answer", () => {
  it("leaves no timer when it is closed, though the engine is the host's", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval"] });
    onTestFinished(() => void vi.useRealTimers());
    const pay = defineTool({
      name: "pay",
      description: "Pays.",
      parameters: { type: "object", properties: {} },
      needsApproval: true,
      waitMs: 20_000,
      execute: () => "paid",
    });
    const agent = scriptedAgent([{ toolCalls: [{ id: "c", name: "pay", arguments: {} }] }], { tools: [pay] });
    const storage = new InMemoryStorage();
    const service = new RunService({ agents: { a: agent }, storage, engine: new LocalEngine() });
    await service.serve();
    const { runId } = await service.accept(request);
    for (let status = ""; status !== "waiting"; { status } = await service.get(runId, "host")) {
      await vi.advanceTimersByTimeAsync(5);
    }

    expect(vi.getTimerCount()).toBeGreaterThan(0);
    await service.close();
    expect(vi.getTimerCount()).toBe(0);
  });
});
