import { describe, expect, it, onTestFinished, vi } from "vitest";
import { Agent } from "../../agents/agent/agent.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { ScriptedModel } from "../../testing/scripted-model.ts";
import { RunService } from "./run-service.ts";

const request = { kind: "agent", name: "a", input: "Hi" } as const;

describe("a run service in memory without schedules", () => {
  it("sets no timer again and again: one is set for a schedule alone, and goes with it", async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const agents = { a: new Agent({ name: "a", model: new ScriptedModel() }) };
    const service = new RunService({ storage: new InMemoryStorage(), agents });
    await service.serve();
    await vi.advanceTimersByTimeAsync(60_000);
    const idle = vi.getTimerCount();

    await service.schedules.put({ id: "later", everyMs: 3_600_000, request });
    await vi.advanceTimersByTimeAsync(60_000);
    expect(vi.getTimerCount()).toBe(idle + 1);
    await service.schedules.remove("later");
    await vi.advanceTimersByTimeAsync(60_000);
    expect(vi.getTimerCount()).toBe(idle);
    await service.close();
    expect(vi.getTimerCount()).toBe(0);
  });
});
