import { describe, expect, it, vi } from "vitest";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { logKey, logRecord } from "../../agents/journal/log-entry.ts";
import type { LogEntry } from "../../agents/journal/log-entry.ts";
import { createLogger } from "../../base/log/logger.ts";
import type { RunEngine } from "../processes/run-engine.ts";
import type { RunServiceOptions } from "../processes/run-service-options.ts";
import type { RunRecord } from "../record/run-record.ts";
import { RunStore } from "../record/run-store.ts";
import { newRecord } from "../record/test/run-records.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import type { Json } from "../../sessions/storage/json.ts";
import { toldCalls } from "../../sessions/storage/test/told-calls.ts";
import { makeService, scriptedAgent } from "./test/services.ts";

const ada = { userId: "ada" };

/** An engine that performs nothing, and notes its calls. Those named fail. */
function notingEngine(...failing: string[]) {
  const calls: unknown[] = [];
  const note = async (name: string, ...args: unknown[]) => {
    calls.push([name, ...args]);
    if (failing.includes(name)) throw new Error(`No ${name}.`);
  };
  const engine: RunEngine = {
    submit: (job) => note("submit", job),
    withdraw: (runId) => note("withdraw", runId),
    serve: async (_perform, options) => {
      await note("serve", options);
      return { drain: (graceMs) => note("drain", graceMs) };
    },
    waiting: async () => 0,
    close: () => note("close"),
  };
  return { engine, calls, failing };
}

/** A service at the time 100 with runs of these records, what its storage is asked for, and what it logs. */
async function serviceWith(records: Partial<RunRecord>[] = [], options: RunServiceOptions = {}) {
  const storage = new InMemoryStorage();
  const clock = { now: 100 };
  const store = new RunStore(storage, () => clock.now);
  for (const record of records) await store.insert(newRecord({ runId: "r", createdAt: 1, ...record }));
  const { driver, calls } = toldCalls(storage);
  const lines: string[] = [];
  const logger = createLogger({ level: "debug", color: false, write: (line) => void lines.push(line) });
  const agents = { a: scriptedAgent([]) };
  const service = makeService({ agents, storage: driver, logger, sealKeys: false, now: () => clock.now, ...options });
  const log = async (...entries: LogEntry[]) =>
    await storage.set("run-log", logKey("r", 1), logRecord(entries) as unknown as Json);
  const logged = () => lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  return { service, storage, store, clock, calls, log, logged };
}

describe("RunService.cancel", () => {
  it("tells a run of another process with the reason, and leaves the end to that", async () => {
    const { engine, calls } = notingEngine();
    const { service, storage, store } = await serviceWith([{ status: "running", attempts: 1 }], { engine });
    expect(await service.cancel("r", ada, "Enough.")).toBe("cancelling");
    expect(await storage.get("run-inbox", "r/cancel")).toEqual({ v: 1, reason: "Enough." });
    expect(await store.read("r")).toMatchObject({ status: "running" });
    expect(calls).toEqual([]);
    expect(await service.cancel("r", ada, "Again.")).toBe("cancelling");
    expect(await storage.get("run-inbox", "r/cancel")).toEqual({ v: 1, reason: "Enough." });
  });

  it("ends a run whose attempt in this process could not store that it stopped", async () => {
    for (const [node, status] of [
      ["here", "cancelled"],
      ["elsewhere", "cancelling"],
    ] as const) {
      const { engine } = notingEngine();
      const record = { status: "running", attempts: 1, node } as const;
      const { service, store } = await serviceWith([record], { engine, node: "here" });
      expect(await service.cancel("r", ada, "Enough.")).toBe(status);
      expect((await store.read("r"))?.status).toBe(node === "here" ? "cancelled" : "running");
    }
  });

  it.each(["queued", "waiting"] as const)(
    "ends a run that is %s with the reason, and withdraws its job",
    async (status) => {
      const { engine, calls } = notingEngine();
      const { service, store } = await serviceWith([{ status }], { engine });
      expect(await service.cancel("r", ada, "Enough.")).toBe("cancelled");
      expect(calls).toEqual([["withdraw", "r"]]);
      expect(await store.read("r")).toMatchObject({
        status: "cancelled",
        error: { code: "cancelled", message: "The run was cancelled: Enough." },
        endedAt: 100,
      });
      expect(await service.cancel("r", ada)).toBe("over");
      expect(calls).toHaveLength(1);
    },
  );

  it("lists a run that waits as open before it is told, so that a sweep finds the cancel", async () => {
    const { service, storage, calls } = await serviceWith([{ status: "waiting" }]);
    await storage.delete("run-open", "r");
    await service.cancel("r", ada);
    const writes = calls.filter((call) => !call.startsWith("get") && / run-open r| run-inbox r\/cancel/.test(call));
    expect(writes.slice(0, 2)).toEqual([expect.stringMatching(/run-open r/), "compareAndSet run-inbox r/cancel"]);
  });

  it("says that a run is over by its record or its log, and writes nothing", async () => {
    for (const status of ["completed", "error", "cancelled"] as const) {
      const { service, storage } = await serviceWith([{ status }]);
      expect(await service.cancel("r", ada)).toBe("over");
      expect(await storage.list("run-inbox")).toEqual([]);
    }
    const { service, storage, log } = await serviceWith([{ status: "running", attempts: 1 }]);
    await log({ t: "end", output: { text: "Over." } });
    expect(await service.cancel("r", ada)).toBe("over");
    expect(await storage.list("run-inbox")).toEqual([]);
  });

  it("says that a run is over that ends while it is told", async () => {
    const { service, store, storage } = await serviceWith([{ status: "running", attempts: 1 }]);
    const compareAndSet = storage.compareAndSet.bind(storage);
    vi.spyOn(storage, "compareAndSet").mockImplementation(async (...args) => {
      if (args[0] === "run-inbox") await store.change("r", (record) => ({ ...record, status: "completed" }));
      return await compareAndSet(...args);
    });
    expect(await service.cancel("r", ada)).toBe("over");
    expect(await store.read("r")).toMatchObject({ status: "completed" });
  });

  it("warns when the engine cannot drop the job, and ends the run", async () => {
    const { engine } = notingEngine("withdraw");
    const { service, logged } = await serviceWith([{}], { engine });
    expect(await service.cancel("r", ada)).toBe("cancelled");
    expect(logged().filter(({ level }) => level === "warn")).toMatchObject([
      {
        message: "The engine could not drop the job of a cancelled run.",
        runId: "r",
        error: { message: "No withdraw." },
      },
    ]);
  });
});

describe("RunService.get", () => {
  it("has the end that the log of a run has, with the time of the look", async () => {
    const { service, log } = await serviceWith([{ status: "running", attempts: 1, startedAt: 7 }]);
    expect(await service.get("r", ada)).toMatchObject({ status: "running", startedAt: 7 });
    await log({ t: "end", output: { text: "Over." } });
    expect(await service.get("r", ada)).toEqual({
      runId: "r",
      kind: "agent",
      name: "a",
      sessionId: "s",
      status: "completed",
      createdAt: 1,
      startedAt: 7,
      endedAt: 100,
      expiresAt: 100 + 168 * 3_600_000,
      attempts: 1,
      output: { text: "Over." },
    });
  });
});

describe("RunService.runOfSession", () => {
  it("has the run under way, else the oldest of those in the queue", async () => {
    const runs = [3, 1, 2].map((createdAt) => ({ runId: `r${createdAt}`, createdAt }));
    const { service, store } = await serviceWith(runs);
    expect(await service.runOfSession("s", ada)).toMatchObject({ runId: "r1", status: "queued" });
    await store.change("r3", (record) => ({ ...record, status: "waiting" }));
    expect(await service.runOfSession("s", ada)).toMatchObject({ runId: "r3", status: "waiting" });
    expect(await service.runOfSession("s", { ...ada, verified: false })).toBeNull();
  });
});

describe("RunService.storedEvents", () => {
  const text = (at: string): LogEntry => ({ t: "chunks", step: "", chunks: [{ type: "text", text: at } as never] });

  it("has what is stored of a run that goes on, and waits for no more", async () => {
    const { service, log } = await serviceWith([{ status: "running", attempts: 1 }]);
    await log(text("a"), text("b"));
    const events = await Array.fromAsync(service.storedEvents("r", ada));
    expect(events).toMatchObject([{ chunk: { text: "a" } }, { chunk: { text: "b" } }]);
    expect(await Array.fromAsync(service.storedEvents("r", ada, events[0]?.id))).toEqual(events.slice(1));
    await expect(service.storedEvents("r", { userId: "bob" }).next()).rejects.toMatchObject({ code: "not_found" });
  });
});

describe("RunService.getWait", () => {
  it("has a wait by its id for those who may reach the run, and null for another id", async () => {
    const wait = { id: "t.0", kind: "input", about: { q: 1 } } as const;
    const { service, log } = await serviceWith([{ status: "waiting", waits: [wait] }]);
    await log({ t: "wait", wait, performedMs: 0 });
    expect(await service.getWait("r", "t.0", ada)).toEqual(wait);
    expect(await service.getWait("r", "t.1", ada)).toBeNull();
    await expect(service.getWait("r", "t.0", {})).rejects.toMatchObject({ code: "not_found" });
  });
});

describe("RunService.checkUpgrade", () => {
  it("finds the open runs that cannot go on here, with what they miss, and changes nothing", async () => {
    const { service, calls } = await serviceWith([
      { runId: "fits" },
      { runId: "gone", name: "b" },
      { runId: "team", kind: "team" },
      { runId: "over", name: "b", status: "completed" },
      { runId: "failed", name: "b", status: "error" },
    ]);
    const findings = await Array.fromAsync(service.checkUpgrade());
    expect(findings.toSorted((one, other) => (one.runId < other.runId ? -1 : 1))).toEqual([
      { runId: "gone", kind: "agent", name: "b", missing: ["The agent b is gone."] },
      { runId: "team", kind: "team", name: "a", missing: ["The team a is gone."] },
    ]);
    expect(calls.filter((call) => !/^(get|list|listMany) /.test(call))).toEqual([]);
  });
});

describe("RunRemoval.cleanUp", () => {
  it.each([
    [{ logMs: 10, recordMs: 50 }, 110, 150],
    [{ logMs: 90, recordMs: 50 }, 150, 150],
  ])("RunRemoval.cleanUp with %j removes logs at %i and records at %i", async (retention, logAt, recordAt) => {
    const { service, storage, store, clock, log } = await serviceWith([{ status: "running" }], { retention });
    await log({ t: "end", output: null });
    await store.finish("r", { status: "completed" });
    await store.flush();
    const cleanAt = async (now: number) => {
      clock.now = now;
      await service.removal.cleanUp();
      return [(await storage.list("run-log")).length, (await storage.list("runs")).length];
    };
    const left = (now: number) => [Number(now < logAt), Number(now < recordAt)];
    for (const now of [logAt - 1, logAt, Math.max(logAt, recordAt - 1), recordAt])
      expect(await cleanAt(now)).toEqual(left(now));
  });

  it("cancels and removes a run whose time is over, though it waits or was never performed", async () => {
    const { service, storage } = await serviceWith([
      { runId: "a", expiresAt: 100 },
      { runId: "b", expiresAt: 99, status: "waiting" },
      { runId: "c", expiresAt: 101 },
    ]);
    await service.removal.cleanUp();
    expect((await storage.list("runs")).map(({ key }) => key)).toEqual(["c"]);
  });

  it("removes runs whose time is over, and tries all of them though one cannot be removed", async () => {
    const expired = ["a", "b"].map((runId) => ({ runId, expiresAt: 100, status: "completed" as const }));
    const { service, storage } = await serviceWith([...expired, { runId: "kept", expiresAt: 101 }]);
    const fail = vi
      .spyOn(storage, "transaction")
      .mockRejectedValueOnce(new TroupeError("storage_unavailable", "Away."));
    await service.removal.cleanUp();
    expect(fail).toHaveBeenCalledTimes(2);
    expect(await storage.list("runs")).toHaveLength(2);
    await service.removal.cleanUp();
    expect((await storage.list("runs")).map(({ key }) => key)).toEqual(["kept"]);
  });
});
