import { describe, expect, it, vi } from "vitest";
import { Agent } from "../../agents/agent/agent.ts";
import { ScriptedModel } from "../../testing/scripted-model.ts";
import { EphemeralRunStorage, MemoryRuns } from "../readers/memory-runs.ts";
import { LocalEngine } from "../processes/local-engine.ts";
import type { RunEngine } from "../processes/run-engine.ts";
import type { RunServiceOptions } from "../processes/run-service-options.ts";
import { ServiceHosting } from "./run-serving.ts";
import { partsOf } from "../processes/test/parts.ts";

const agent = new Agent({ name: "own", model: new ScriptedModel() });
const shared = { submit: async () => {} } as unknown as RunEngine;
const secret = "0123456789abcdef0123456789abcdef";

function hosting(options: RunServiceOptions = {}, { engine = shared, isServing = false } = {}) {
  const { parts } = partsOf(options);
  return { parts, hosting: new ServiceHosting(parts, engine, () => isServing) };
}

describe("the hosting of a service", () => {
  it("has the names of its runnables, of each kind on its own, in their order", () => {
    const { hosting: made } = hosting({ agents: { b: agent, a: agent }, teams: new Map([["t", agent]]) });
    expect([made.names("agent"), made.names("team"), made.names("workflow")]).toEqual([["b", "a"], ["t"], []]);
  });

  it.each([{ sealKeys: [secret] }, { sealKeys: false as const }, {}])("may be served with %j in memory", (options) => {
    expect(() => hosting(options).hosting.checkServable()).not.toThrow();
  });

  it("may not be served where it is not settled what becomes of keys", () => {
    const { parts, hosting: made } = hosting();
    vi.spyOn(parts.vault, "isSettled", "get").mockReturnValue(false);
    expect(() => made.checkServable()).toThrow(
      expect.objectContaining({ code: "invalid_config", message: expect.stringContaining("needs sealKeys") }),
    );
  });

  it("is shared with other processes unless its engine is that of this one", () => {
    expect(hosting().hosting.isShared).toBe(true);
    expect(hosting({}, { engine: new LocalEngine() }).hosting.isShared).toBe(false);
  });
});

describe("what performs the runs", () => {
  it.each([
    ["here", true, shared, true],
    ["here", true, new LocalEngine(), false],
    ["nothing", false, new LocalEngine(), true],
    ["elsewhere", false, shared, true],
    ["none yet", false, shared, false],
  ] as const)("is %s while this process serves: %s", async (...row) => {
    const [performer, isServing, engine, hasOthers] = row;
    const { parts, hosting: made } = hosting({}, { engine, isServing });
    const asked = vi.spyOn(parts.nodes, "someOther").mockImplementation(async (fits) => {
      expect(fits({ plans: [], sealIds: [] })).toBe(true);
      return await Promise.resolve(hasOthers);
    });
    expect(await made.findPerformer()).toBe(performer);
    expect(asked).toHaveBeenCalledTimes(performer === "elsewhere" || performer === "none yet" ? 1 : 0);
  });

  it("is this process where another service of it serves the engine", async () => {
    const engine = new LocalEngine();
    vi.spyOn(engine, "isServed").mockReturnValue(true);
    expect(await hosting({}, { engine }).hosting.findPerformer()).toBe("here");
  });
});

describe("the parts of a service", () => {
  it("count open runs where no other process accepts runs, and bound those in memory", () => {
    const { parts } = partsOf({ retention: { anonymousWaitMs: 7 } });
    expect(parts.admission).toBeDefined();
    expect(partsOf({}, { isAlone: false }).parts.admission).toBeUndefined();
    expect(parts).toMatchObject({ node: "here", anonymousWaitMs: 7, memory: undefined });
    expect(parts.now()).toBe(1_000_000);
    const kept = partsOf({}, { storage: new EphemeralRunStorage(1024) });
    expect(kept.parts.memory).toBeInstanceOf(MemoryRuns);
  });

  it("have the writer of their storage, and a name of their own where none is given", () => {
    const { parts, storage } = partsOf({ node: undefined });
    const { parts: others } = partsOf({ node: undefined }, { storage });
    expect(others.writer).toBe(parts.writer);
    expect(others.store.storage).toBe(storage);
    expect(others.node).not.toBe(parts.node);
    expect(partsOf().parts.writer).not.toBe(parts.writer);
  });
});
