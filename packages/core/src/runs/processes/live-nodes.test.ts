import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import type { StorageDriver } from "../../sessions/storage/storage-driver.ts";
import { toldCalls } from "../../sessions/storage/test/told-calls.ts";
import { LiveNodes } from "./live-nodes.ts";
import type { ServedPlans } from "./live-nodes.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["performance", "setInterval", "clearInterval"] }));
afterEach(() => void vi.useRealTimers());

const serves = (...sealIds: string[]): ServedPlans => ({ plans: [], sealIds });
const advance = async (ms: number) => {
  await vi.advanceTimersByTimeAsync(ms);
  await new Promise(setImmediate);
};

/** A process over a storage: what it asks for, and the failures that it tells. */
function nodeOf(storage: StorageDriver, id = "one", isAlone = false) {
  const state = { sealIds: [id], fails: false };
  const { driver, calls } = toldCalls(storage, () => (state.fails ? "fail-before" : undefined));
  const errors: unknown[] = [];
  const nodes = new LiveNodes({
    storage: driver,
    id,
    name: `name of ${id}`,
    isAlone,
    describe: () => serves(...state.sealIds),
    onError: (error) => void errors.push(error),
  });
  return { nodes, calls, errors, state };
}

type Beat = [id: string, heartbeat: number, more?: object];

/** Stores the record of another process. */
async function beat(storage: StorageDriver, ...[id, heartbeat, more = {}]: Beat): Promise<void> {
  const record = { v: 1, heartbeat, name: id, serves: serves(id), ...more };
  await storage.set("run-nodes", id, record);
}

const recordsIn = async (storage: StorageDriver) =>
  Object.fromEntries((await storage.list("run-nodes")).map(({ key, value }) => [key, value]));

describe("the record of a process", () => {
  it("is stored when it performs, and every ten seconds, with what it performs then", async () => {
    const storage = new InMemoryStorage();
    const { nodes, state } = nodeOf(storage);
    const record = { v: 1, heartbeat: 1, name: "name of one", serves: serves("one") };
    await nodes.perform();
    expect(await recordsIn(storage)).toEqual({ one: record });
    state.sealIds = ["new"];
    await advance(9999);
    expect(await recordsIn(storage)).toEqual({ one: record });
    await advance(1);
    expect(await recordsIn(storage)).toEqual({ one: { ...record, heartbeat: 2, serves: serves("new") } });
    await nodes.retire();
    expect(await recordsIn(storage)).toEqual({});
    expect(vi.getTimerCount()).toBe(0);
    await advance(20_000);
    expect(await recordsIn(storage)).toEqual({});
  });

  it("has one timer, however often it performs", async () => {
    const { nodes, calls } = nodeOf(new InMemoryStorage());
    await nodes.perform();
    await nodes.perform();
    expect(vi.getTimerCount()).toBe(1);
    calls.length = 0;
    await advance(10_000);
    expect(calls.filter((call) => call.startsWith("set"))).toEqual(["set run-nodes one"]);
    await nodes.retire();
  });

  it("does not keep the program running", async () => {
    const timers: NodeJS.Timeout[] = [];
    const { setInterval } = globalThis;
    vi.stubGlobal("setInterval", (act: () => void, ms?: number) => {
      const timer = setInterval(act, ms);
      timers.push(timer);
      return timer;
    });
    const { nodes } = nodeOf(new InMemoryStorage());
    await nodes.perform();
    vi.unstubAllGlobals();
    expect(timers.map((timer) => timer.hasRef())).toEqual([false]);
    await nodes.retire();
  });

  it("is not removed where none was stored, and written under an encoded id", async () => {
    const storage = new InMemoryStorage();
    const { nodes, calls } = nodeOf(storage, "a/b");
    await nodes.retire();
    expect(calls).toEqual([]);
    const other = nodeOf(storage, "c/d");
    await other.nodes.perform();
    expect(Object.keys(await recordsIn(storage))).toEqual(["c%2Fd"]);
    await other.nodes.retire();
    expect(await recordsIn(storage)).toEqual({});
  });

  it("is tried again by the next heartbeat where it cannot be stored, and no call rejects", async () => {
    const storage = new InMemoryStorage();
    const { nodes, errors, state } = nodeOf(storage);
    state.fails = true;
    await nodes.perform();
    expect(errors).toMatchObject([{ code: "storage_unavailable" }]);
    state.fails = false;
    await advance(10_000);
    expect(Object.keys(await recordsIn(storage))).toEqual(["one"]);
    state.fails = true;
    await nodes.retire();
    expect(errors).toHaveLength(2);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe("another process", () => {
  const hasOther = async ({ nodes }: { nodes: LiveNodes }, id = "two") =>
    await nodes.someOther(({ sealIds }) => sealIds.includes(id));

  it("is found by what it performs, never the process itself, and none by one that is alone", async () => {
    const storage = new InMemoryStorage();
    const one = nodeOf(storage);
    await one.nodes.perform();
    await beat(storage, "two", 1);
    await beat(storage, "three", 1, { serves: undefined });
    await advance(250);
    expect([await hasOther(one), await hasOther(one, "one"), await hasOther(one, "three")]).toEqual([
      true,
      false,
      false,
    ]);
    const alone = nodeOf(storage, "four", true);
    expect(await hasOther(alone)).toBe(false);
    expect(alone.calls).toEqual([]);
    await one.nodes.retire();
  });

  it("is not read again for 250 milliseconds where it was found, and at once where it was not", async () => {
    const storage = new InMemoryStorage();
    const one = nodeOf(storage);
    await beat(storage, "two", 1);
    const reads = () => one.calls.splice(0).length;
    expect([await hasOther(one), reads()]).toEqual([true, 1]);
    await advance(249);
    expect([await hasOther(one), reads()]).toEqual([true, 0]);
    expect([await hasOther(one, "three"), reads()]).toEqual([false, 1]);
    await advance(250);
    expect([await hasOther(one), reads()]).toEqual([true, 1]);
  });

  it("has expired after 30 seconds without a heartbeat, and has not with one", async () => {
    const storage = new InMemoryStorage();
    const one = nodeOf(storage);
    await beat(storage, "two", 1);
    await hasOther(one);
    await advance(29_999);
    expect(await hasOther(one)).toBe(true);
    await advance(1);
    expect(await hasOther(one)).toBe(false);
    await beat(storage, "two", 2);
    expect(await hasOther(one)).toBe(true);
    await advance(20_000);
    expect(await hasOther(one)).toBe(true);
    await advance(9999);
    expect(await hasOther(one)).toBe(true);
    await advance(1);
    expect(await hasOther(one)).toBe(false);
  });

  it("counts anew for one that has not looked for more than 30 seconds", async () => {
    const storage = new InMemoryStorage();
    const one = nodeOf(storage);
    await beat(storage, "two", 1);
    await hasOther(one);
    await advance(30_001);
    expect(await hasOther(one)).toBe(true);
    await advance(30_000);
    expect(await hasOther(one)).toBe(false);
  });

  it("is gone with its record, and lives again when that is back as it was", async () => {
    const storage = new InMemoryStorage();
    const one = nodeOf(storage);
    await beat(storage, "two", 1);
    await hasOther(one);
    await advance(20_000);
    await storage.delete("run-nodes", "two");
    expect(await hasOther(one)).toBe(false);
    await beat(storage, "two", 1);
    await advance(20_000);
    expect(await hasOther(one)).toBe(true);
  });

  it("another process that has expired loses its record to a process that performs, whose own stays", async () => {
    const storage = new InMemoryStorage();
    const one = nodeOf(storage);
    await beat(storage, "two", 1);
    await beat(storage, "three", 1);
    await one.nodes.perform();
    await advance(20_000);
    await beat(storage, "three", 2);
    await advance(10_000);
    expect(Object.keys(await recordsIn(storage)).toSorted()).toEqual(["one", "three"]);
    await one.nodes.retire();
  });

  it("another process of the past loses its record at once to one that is alone, and a later one does not", async () => {
    const storage = new InMemoryStorage();
    await beat(storage, "two", 1);
    const alone = nodeOf(storage, "one", true);
    await alone.nodes.perform();
    expect(Object.keys(await recordsIn(storage))).toEqual(["one"]);
    await beat(storage, "three", 1);
    await advance(10_000);
    expect(Object.keys(await recordsIn(storage)).toSorted()).toEqual(["one", "three"]);
    await alone.nodes.retire();
  });

  it("is looked for once by all who ask at a time, and a failed look is told to each", async () => {
    const storage = new InMemoryStorage();
    const one = nodeOf(storage);
    await beat(storage, "two", 1);
    expect(await Promise.all([hasOther(one), hasOther(one), hasOther(one, "three")])).toEqual([true, true, false]);
    expect(one.calls).toHaveLength(1);
    one.state.fails = true;
    await expect(hasOther(one, "three")).rejects.toMatchObject({ code: "storage_unavailable" });
    one.state.fails = false;
    expect(await hasOther(one, "three")).toBe(false);
  });
});
