import { describe, expect, it, onTestFinished, vi } from "vitest";
import { Agent } from "../../agents/agent/agent.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { logKey } from "../../agents/journal/log-entry.ts";
import { createLogger } from "../../base/log/logger.ts";
import { EphemeralRunStorage, MemoryRuns } from "../readers/memory-runs.ts";
import type { RunRecord, RunStorage } from "../record/run-record.ts";
import { newRecord } from "../record/test/run-records.ts";
import { countedCaller } from "../../sessions/session/counted-caller.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { RemoteStorage } from "../../sessions/storage/test/remote-storage.ts";
import { faultyStorage } from "../../testing/faulty-storage.ts";
import { ScriptedModel } from "../../testing/scripted-model.ts";
import { Admission } from "./admission.ts";
import { processStateOf, makeServiceParts } from "./service-parts.ts";
import { readServiceOptions } from "./run-service-options.ts";
import type { RunServiceOptions } from "./run-service-options.ts";

const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;
const ada = { userId: "ada" };
const agent = new Agent({ name: "a", model: new ScriptedModel() });

function make(
  options: RunServiceOptions = {},
  { storage = new InMemoryStorage(), isAlone = true }: { storage?: RunStorage; isAlone?: boolean } = {},
) {
  const settings = readServiceOptions({ storage, ...options });
  return { settings, storage, parts: makeServiceParts(settings, { storage, isAlone }) };
}

describe("the parts of a service", () => {
  it("have its name, clock, logger and runnables, and the writer of all services over the storage", () => {
    const logger = createLogger({ level: "debug", write: () => undefined });
    const now = () => 5;
    const retention = { anonymousWaitMs: 7 };
    const { settings, storage, parts } = make({
      node: "worker-2",
      now,
      logger,
      retention,
      agents: { a: agent },
    });
    expect(parts).toMatchObject({ node: "worker-2", anonymousWaitMs: 7, begun: new Map(), locals: new Map() });
    expect([parts.now, parts.logger, parts.registries]).toEqual([now, logger, settings]);
    expect(parts.logger).toBe(logger);
    expect(parts.writer).toBe(processStateOf(storage).writer);
    expect(parts.store.storage).toBe(storage);
  });

  it("have a random name of the process where none is given, and another id than the name", () => {
    const [one, other] = [make().parts, make().parts];
    expect(one.node).toMatch(uuid);
    expect(one.nodes.id).toMatch(uuid);
    expect(new Set([one.node, one.nodes.id, other.node, other.nodes.id]).size).toBe(4);
    const named = [make({ node: "n" }).parts, make({ node: "n" }).parts];
    expect(new Set(named.map(({ nodes }) => nodes.id)).size).toBe(2);
  });

  it("count open runs themselves where no other process accepts runs, by the limits of the service", () => {
    const admission = { perCaller: 1, maxQueued: 7 };
    const { parts } = make({ admission });
    expect(parts.admission).toBeInstanceOf(Admission);
    parts.admission?.add({ runId: "r" }, countedCaller(ada));
    expect(() => parts.admission?.check(countedCaller(ada), 0)).toThrow(
      expect.objectContaining({ code: "rate_limited" }),
    );
    expect(() => parts.admission?.check(countedCaller({ userId: "bob" }), 7)).toThrow(
      expect.objectContaining({ code: "rate_limited" }),
    );
    expect(make({ admission }, { isAlone: false }).parts.admission).toBeUndefined();
  });

  it.each([
    [true, []],
    [false, ["#anonymous/-/r"]],
  ])("list the open runs of callers without a user for others, unless alone: %s", async (isAlone, keys) => {
    const { parts, storage } = make({}, { isAlone });
    await parts.store.insert(newRecord({ runId: "r", createdAt: 0, owner: {}, anonymous: "-" }));
    const listed = (await storage.list("run-by")).map(({ key }) => key);
    expect(listed.filter((key) => key.startsWith("#anonymous"))).toEqual(keys);
  });

  it("give the store the clock of the service", () => {
    const { parts } = make({ now: () => 100 });
    const record = (expiresAt: number) => newRecord({ runId: "r", createdAt: 0, expiresAt });
    expect([parts.store.isExpired(record(100)), parts.store.isExpired(record(101))]).toEqual([true, false]);
  });

  it("bound the runs in memory of a service without a storage alone", () => {
    expect(make().parts.memory).toBeUndefined();
    const storage = new EphemeralRunStorage(1024) as unknown as RunStorage;
    onTestFinished(async () => await storage.close());
    const { memory } = make({ retention: { maxBytes: 4000 } }, { storage }).parts;
    expect(memory).toBeInstanceOf(MemoryRuns);
    memory?.add("r", countedCaller(ada));
    expect(() => memory?.check(countedCaller(ada))).toThrow(expect.objectContaining({ code: "rate_limited" }));
  });

  it("seal keys with the secrets of the service, or keep them in memory", () => {
    const keys = { apiKey: "key-1" };
    const inMemory = make().parts.vault;
    expect(inMemory.seal("r", keys)).toBe("");
    expect(inMemory.open("r", "")).toMatchObject(keys);
    const { vault } = make({ sealKeys: ["s".repeat(32)] }).parts;
    const sealed = vault.seal("r", keys) ?? "";
    expect(sealed).not.toContain("key-1");
    expect(make({ sealKeys: ["s".repeat(32)] }).parts.vault.open("r", sealed)).toMatchObject(keys);
  });
});

describe("the record of a process that performs runs", () => {
  it("has its name and what it serves", async () => {
    const { parts, storage, settings } = make({ node: "here", agents: { a: agent } }, { isAlone: false });
    onTestFinished(async () => await parts.nodes.retire());
    await parts.nodes.perform();
    const [{ key, value } = { key: "", value: null }] = await storage.list("run-nodes");
    expect(key).toBe(parts.nodes.id);
    expect(value).toMatchObject({ v: 1, heartbeat: 1, name: "here", serves: { plans: {} } });
    expect(JSON.stringify(value)).toContain('"a"');
    expect(settings.agents).toBeDefined();
  });

  it("warns of a failure to look at the others", async () => {
    const lines: string[] = [];
    const logger = createLogger({ level: "debug", color: false, write: (line) => void lines.push(line) });
    const storage = faultyStorage(new InMemoryStorage(), () => "fail-before") as unknown as RunStorage;
    const { parts } = make({ logger }, { storage, isAlone: false });
    await parts.nodes.perform();
    const told = lines.map((line) => JSON.parse(line) as unknown);
    await parts.nodes.retire();
    expect(told).toEqual([
      expect.objectContaining({
        level: "warn",
        message: "The other processes could not be looked at. That is tried again.",
        error: expect.objectContaining({ code: "storage_unavailable" }) as unknown,
      }),
    ]);
  });
});

describe("the readers of a run that another process has, after twenty quiet seconds", () => {
  /** Reads a run with this record and log, and returns what the reader has come to after a while. */
  async function waitQuietly(record: RunRecord | null, { hasLog = true, isHere = false } = {}) {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const { driver, inner } = new RemoteStorage();
    const { parts } = make({}, { storage: driver as RunStorage, isAlone: false });
    onTestFinished(() => parts.tails.close());
    if (record !== null) await inner.set("runs", "r", record as never);
    if (hasLog) await inner.set("run-log", logKey("r", 1), { v: 1, entries: [] });
    if (isHere) processStateOf(driver).performing.set("r", { cancel: () => undefined, done: Promise.resolve() });
    const feed = parts.tails.join("r");
    const read = async () => {
      while (feed.failure === undefined) await parts.tails.wait(feed, feed.last, () => undefined);
    };
    void read();
    await vi.advanceTimersByTimeAsync(19_000);
    expect(feed.failure).toBeUndefined();
    await vi.advanceTimersByTimeAsync(3000);
    return feed.failure;
  }
  const run = (given: Partial<RunRecord> = {}) => newRecord({ runId: "r", createdAt: 0, ...given });
  const gone = { code: "gone", message: "The run was removed." };

  it.each([
    ["goes on", run({ status: "running" }), {}],
    ["waits, without a log", run({ status: "waiting" }), { hasLog: false }],
    ["is over, with its log", run({ status: "completed", endedAt: 1 }), {}],
    ["has failed, with its log", run({ status: "error", error: { code: "internal", message: "No." } }), {}],
    ["this process has", null, { isHere: true }],
  ])("wait on for a run that %s", async (_what, record, more) => {
    expect(await waitQuietly(record, more)).toBeUndefined();
  });

  it.each([
    ["has no record", null, {}, gone],
    ["is over, without its log", run({ status: "completed", endedAt: 1 }), { hasLog: false }, gone],
    [
      "cannot be read",
      run({ status: "error", error: { code: "storage_corrupt", message: "It is damaged." } }),
      {},
      { code: "storage_corrupt", message: "It is damaged." },
    ],
  ])("are told of a run that %s", async (...[, record, more, error]) => {
    const failure = await waitQuietly(record, more);
    expect(failure).toBeInstanceOf(TroupeError);
    expect(failure).toMatchObject(error);
  });
});
