import { beforeEach, describe, expect, it } from "vitest";
import { EphemeralRunStorage, MemoryRuns } from "../readers/memory-runs.ts";
import { RunStore } from "../record/run-store.ts";
import { countedCaller, hostCaller } from "../../sessions/session/counted-caller.ts";
import type { CountedCaller } from "../../sessions/session/counted-caller.ts";
import { record } from "../processes/test/parts.ts";

const [ada, bob, nobody] = [countedCaller({ userId: "ada" }), countedCaller({ userId: "bob" }), countedCaller({})];
const [here, there] = [countedCaller({}, "203.0.113.1"), countedCaller({}, "203.0.113.2")];
/** The bytes of a run beside its record, roughly. */
const places = 2048;

let storage: EphemeralRunStorage;
let store: RunStore;
beforeEach(() => {
  storage = new EphemeralRunStorage(1_000_000);
  store = new RunStore(storage, () => 1);
});

/** Runs of a service, of which each has this many bytes as they are counted. */
function runsOf({ maxEnded = 100, maxBytes = 1_000_000, bytes = places + 1000 } = {}) {
  const runs = new MemoryRuns({ maxEnded, maxBytes, storage, store });
  const add = async (runId: string, caller: CountedCaller, local?: object) => {
    await store.insert({ ...record, runId });
    const padding = bytes - places - storage.bytesOf(runId);
    await storage.set("run-inbox", `${runId}/x`, "x".repeat(padding - 2));
    runs.add(runId, caller, local);
  };
  const run = async (runId: string, caller: CountedCaller, local?: object) => {
    await add(runId, caller, local);
    runs.end(runId);
    await kept();
  };
  return { runs, add, run };
}

/** The runs that are there, once what was dropped is gone. */
async function kept(): Promise<string[]> {
  for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
  return (await storage.list("runs")).map(({ key }) => key);
}

describe("the number of ended runs", () => {
  it("is bounded: the oldest goes", async () => {
    const { run } = runsOf({ maxEnded: 2 });
    for (const runId of ["c", "a", "b"]) await run(runId, ada);
    expect(await kept()).toEqual(["a", "b"]);
  });

  it("is that of all users together, and the oldest goes of the one that has most", async () => {
    const { run } = runsOf({ maxEnded: 4 });
    for (const runId of ["b1", "a1", "a2", "a3", "b2"]) await run(runId, runId.startsWith("a") ? ada : bob);
    expect(await kept()).toEqual(["a2", "a3", "b1", "b2"]);
  });

  it("does not count open runs, and those of other kinds of callers", async () => {
    const { run, add, runs } = runsOf({ maxEnded: 2 });
    await add("open", ada);
    await run("host", hostCaller);
    await run("a1", ada);
    await run("n1", nobody);
    await run("a2", ada);
    expect(await kept()).toEqual(["a1", "a2", "host", "n1", "open"]);
    runs.end("open");
    expect(await kept()).toEqual(["a2", "host", "n1", "open"]);
  });

  it("counts a run once, however often it ends, and none that is not known", async () => {
    const { run, runs } = runsOf({ maxEnded: 2 });
    await run("a1", ada);
    await run("a2", ada);
    runs.end("a1");
    runs.end("unknown");
    expect(await kept()).toEqual(["a1", "a2"]);
  });

  it("is that of the runs that are left when some were removed", async () => {
    const { run } = runsOf({ maxEnded: 2 });
    await run("a1", ada);
    await run("a2", ada);
    await store.lists.remove({ ...record, runId: "a1" });
    await run("a3", ada);
    expect(await kept()).toEqual(["a2", "a3"]);
  });
});

describe("the bytes of runs", () => {
  const bytes = 10_000;

  it("are a quarter of the whole for one user: its own ended runs go, the oldest first", async () => {
    const { run, runs } = runsOf({ maxBytes: 8 * bytes, bytes });
    await run("b1", bob);
    await run("a1", ada);
    expect(await kept()).toEqual(["a1", "b1"]);
    await run("a2", ada);
    expect(await kept()).toEqual(["a2", "b1"]);
    expect(() => runs.check(ada)).not.toThrow();
  });

  it("the bytes of runs of open runs refuse another one of their user, and of no other user", async () => {
    const { add, runs } = runsOf({ maxBytes: 8 * bytes, bytes });
    await add("a1", ada);
    expect(() => runs.check(ada)).not.toThrow();
    await add("a2", ada);
    expect(() => runs.check(ada)).toThrow(
      expect.objectContaining({
        code: "rate_limited",
        message: `This user has ${2 * bytes} bytes of open runs in memory, which is the limit. Wait for one to end, or cancel one.`,
        fields: { limit: 2 * bytes, retryAfterMs: 1000 },
      }),
    );
    expect(() => runs.check(bob)).not.toThrow();
    await store.lists.remove({ ...record, runId: "a1" });
    expect(() => runs.check(ada)).not.toThrow();
  });

  it("make room by an ended run of the same user before a new one is refused", async () => {
    const { add, run, runs } = runsOf({ maxBytes: 8 * bytes, bytes });
    await run("a0", ada);
    await add("a1", ada);
    runs.check(ada);
    expect(await kept()).toEqual(["a1"]);
  });

  it("the bytes of runs of all users together take from the one that has most of them", async () => {
    const { run, runs } = runsOf({ maxBytes: 8 * bytes, bytes: 1.1 * bytes });
    const users = Array.from({ length: 7 }, (_, index) => countedCaller({ userId: `u${index}` }));
    for (const [index, user] of users.entries()) await run(`r${index}`, user);
    expect(await kept()).toHaveLength(7);
    await storage.set("run-inbox", "r3/y", "x".repeat(bytes / 2));
    runs.check(ada);
    expect(await kept()).toEqual(["r0", "r1", "r2", "r4", "r5", "r6"]);
  });

  it("the bytes of runs of all users together take from those that have ended runs, whoever has most", async () => {
    const { run, add, runs } = runsOf({ maxBytes: 8 * bytes, bytes: 1.1 * bytes });
    await run("b0", bob);
    await store.lists.remove({ ...record, runId: "b0" });
    await add("b1", bob);
    await storage.set("run-inbox", "b1/y", "x".repeat(0.8 * bytes));
    for (let index = 0; index < 6; index++) await run(`r${index}`, countedCaller({ userId: `u${index}` }));
    expect(() => runs.check(ada)).not.toThrow();
    expect(await kept()).toHaveLength(6);
  });

  it("count what was handed over beside the record, until the end of the run", async () => {
    const { add, runs } = runsOf({ maxBytes: 8 * bytes, bytes: 1000 + places });
    await add("a1", ada, { input: "x".repeat(2 * bytes) });
    expect(() => runs.check(ada)).toThrow(expect.objectContaining({ code: "rate_limited" }));
    runs.end("a1");
    expect(() => runs.check(ada)).not.toThrow();
    expect(await kept()).toEqual(["a1"]);
    runs.end("a1");
    const part = "x".repeat(0.8 * bytes);
    await add("a2", ada, { messages: [{ role: "user", content: part }], metadata: { part } });
    runs.check(ada);
    expect(await kept()).toEqual(["a2"]);
  });

  it("count nothing more of a run that was removed, with what it was handed over", async () => {
    const { add, runs } = runsOf({ maxBytes: 8 * bytes, bytes: 1000 + places });
    await add("a1", ada, { input: "x".repeat(2 * bytes) });
    await store.lists.remove({ ...record, runId: "a1" });
    await storage.delete("run-inbox", "a1/x");
    expect(await kept()).toEqual([]);
    expect(() => runs.check(ada)).not.toThrow();
  });

  it("grow with what is stored of a run, and a run that has just ended stays", async () => {
    const { add, runs } = runsOf({ maxBytes: 8 * bytes, bytes });
    await add("a1", ada);
    await storage.set("run-inbox", "a1/y", "x".repeat(bytes));
    expect(() => runs.check(ada)).toThrow(expect.objectContaining({ code: "rate_limited" }));
    runs.end("a1");
    expect(await kept()).toEqual(["a1"]);
    runs.check(ada);
    expect(await kept()).toEqual([]);
  });

  it("the bytes of runs of addresses are counted for each, and those of callers without one together", async () => {
    const { add, run, runs } = runsOf({ maxBytes: 8 * bytes, bytes });
    await run("h1", here);
    await run("h2", here);
    await run("t1", there);
    expect(await kept()).toEqual(["h2", "t1"]);
    for (const runId of ["n1", "n2", "n3", "n4", "n5", "n6"]) await add(runId, nobody);
    runs.check(nobody);
    expect(await kept()).toEqual(["n1", "n2", "n3", "n4", "n5", "n6", "t1"]);
  });
});
