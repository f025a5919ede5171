import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { LiveNodes } from "../processes/live-nodes.ts";
import type { ServedPlans } from "../processes/live-nodes.ts";
import { makeService, scriptedAgent, serveRuns } from "./test/services.ts";
import { SharedQueue } from "./test/shared-queue.ts";

const serves: ServedPlans = { plans: [], sealIds: [] };

function nodesOf(storage: InMemoryStorage, id: string, isAlone = false): LiveNodes {
  const onError = (error: unknown) => expect.fail(String(error));
  return new LiveNodes({ storage, id, name: id, isAlone, describe: () => serves, onError });
}

const hasOther = async (nodes: LiveNodes) => await nodes.someOther(() => true);

describe("the processes of a service", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["performance", "setInterval", "clearInterval"] }));
  afterEach(() => void vi.useRealTimers());

  it("have a record while they perform runs: with names, prints and ids, and no word of what the runnables hold", async () => {
    const queue = new SharedQueue();
    const agent = scriptedAgent([], { instructions: "A secret prompt." });
    const sealKeys = ["a secret of the operator, of 32 characters"];
    const service = await serveRuns({ agents: { a: agent }, sealKeys, ...queue.node("one") });
    const [entry] = await queue.storage.list("run-nodes");
    expect(entry?.value).toMatchObject({ name: "one", serves: { plans: [{ kind: "agent", name: "a" }] } });
    expect(JSON.stringify(entry)).not.toContain("secret");

    await service.drain(0);
    expect(await queue.storage.list("run-nodes")).toEqual([]);
  });

  it("have theirs until they are drained, also when one is served a second time", async () => {
    const queue = new SharedQueue();
    const service = await serveRuns({ agents: { a: scriptedAgent([]) }, ...queue.node("one") });
    await expect(service.serve()).rejects.toMatchObject({ code: "conflict" });
    expect(await queue.storage.list("run-nodes")).toHaveLength(1);

    await service.drain(0);
    await service.serve();
    expect(await queue.storage.list("run-nodes")).toHaveLength(1);
  });

  it("have none once they are closed, also in the midst of the beginning", async () => {
    for (let turns = 0; turns < 12; turns += 1) {
      const queue = new SharedQueue();
      const service = makeService({ agents: { a: scriptedAgent([]) }, ...queue.node("one") });
      const served = service.serve().catch(() => undefined);
      for (let turn = 0; turn < turns; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      await service.close();
      await served;
      expect(await queue.storage.list("run-nodes")).toEqual([]);
      expect(queue.served).toEqual([]);
      expect(vi.getTimerCount()).toBe(0);
    }
  });

  it("have none in a service with an engine of its own, or one that only accepts", async () => {
    const queue = new SharedQueue();
    await serveRuns({ agents: { a: scriptedAgent([]) }, storage: queue.storage });
    expect(await queue.storage.list("run-nodes")).toEqual([]);
  });

  it("are taken for dead when they have not changed their record for 30 seconds, by the clock of the one that looks", async () => {
    const storage = new InMemoryStorage();
    const [one, two] = [nodesOf(storage, "one"), nodesOf(storage, "two")];
    await one.perform();
    await two.perform();
    expect(await hasOther(two)).toBe(true);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(await hasOther(two)).toBe(true);

    const left = await storage.get("run-nodes", "one");
    await one.retire();
    expect(await hasOther(two)).toBe(true);
    await vi.advanceTimersByTimeAsync(1000);
    expect(await hasOther(two)).toBe(false);
    await storage.set("run-nodes", "one", left);
    await vi.advanceTimersByTimeAsync(1000);
    expect(await hasOther(two)).toBe(true);
    await vi.advanceTimersByTimeAsync(41_000);
    expect(await hasOther(two)).toBe(false);
    expect((await storage.list("run-nodes")).map(({ key }) => key)).toEqual(["two"]);
    await two.retire();
  });

  it("are not taken for dead by one that has slept itself", async () => {
    const storage = new InMemoryStorage();
    const two = nodesOf(storage, "two");
    await storage.set("run-nodes", "one", { v: 1, heartbeat: 1, name: "one", serves: { plans: [], sealIds: [] } });
    expect(await hasOther(two)).toBe(true);
    await vi.advanceTimersByTimeAsync(300_000);
    expect(await hasOther(two)).toBe(true);
    await vi.advanceTimersByTimeAsync(20_000);
    expect(await hasOther(two)).toBe(true);
    await vi.advanceTimersByTimeAsync(20_000);
    expect(await hasOther(two)).toBe(false);
  });

  it("the processes of a service of which the record is damaged fit nothing", async () => {
    const storage = new InMemoryStorage();
    const two = nodesOf(storage, "two");
    for (const value of [7, { v: 1, beat: 1, serves: { plans: [{}], sealIds: [] } }, { v: 2 }]) {
      await storage.set("run-nodes", "odd", value);
      await vi.advanceTimersByTimeAsync(1000);
      expect(await hasOther(two)).toBe(false);
    }
  });
});
