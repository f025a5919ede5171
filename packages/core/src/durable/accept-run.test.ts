import { describe, expect, it, vi } from "vitest";
import { LocalEngine } from "../attempts/local-engine.ts";
import type { RunJob } from "../attempts/run-engine.ts";
import { readServiceOptions } from "../attempts/run-service-options.ts";
import type { RunServiceOptions } from "../attempts/run-service-options.ts";
import { makeServiceParts } from "../attempts/service-parts.ts";
import { createLogger } from "../log/logger.ts";
import { hashOf } from "../run-store/plan-print.ts";
import type { RunRecord } from "../run-store/run-record.ts";
import type { RunRequest } from "../run-store/run-view.ts";
import type { CountedCaller } from "../session/counted-caller.ts";
import { InMemoryStorage } from "../storage/in-memory-storage.ts";
import { defineTool } from "../tool/define-tool.ts";
import { acceptRun } from "./accept-run.ts";
import { newRecord } from "../run-store/test/run-records.ts";
import { request, scriptedAgent } from "./test/services.ts";

const runId = "11111111-1111-4111-8111-111111111111";
const other = "22222222-2222-4222-8222-222222222222";
const ada = { tenantId: "t", userId: "ada" };
const tool = defineTool({ name: "send", description: "Sends.", parameters: { type: "object" }, execute: () => null });
const tools = { tools: { send: expect.stringMatching(/^[\da-f]{16}$/) } };
const sealKeys = ["s".repeat(32)];

/** An engine that keeps what it is submitted, and performs nothing. */
class Engine extends LocalEngine {
  readonly jobs: RunJob[] = [];
  readonly released: string[] = [];
  failure: Error | undefined;

  override async submit(job: RunJob): Promise<void> {
    if (this.failure !== undefined) throw this.failure;
    this.jobs.push(job);
  }

  override release(id: string): void {
    this.released.push(id);
    super.release(id);
  }
}

function scene({
  isEphemeral = false,
  open = 0,
  ...options
}: Partial<RunServiceOptions> & { isEphemeral?: boolean; open?: number } = {}) {
  const storage = new InMemoryStorage();
  const settings = readServiceOptions({ agents: { a: scriptedAgent([], { tools: [tool] }) }, ...options });
  const parts = { ...makeServiceParts(settings, { storage, isAlone: true }), now: () => 1000 };
  const engine = new Engine();
  const admitted: [CountedCaller, number | undefined][] = [];
  const admit = async (caller: CountedCaller, bytes?: number) => (admitted.push([caller, bytes]), open);
  const accept = async (given: Partial<RunRequest> = {}) => {
    return await acceptRun({ parts, engine, isEphemeral, admit }, { ...request, ...given });
  };
  const read = async (id = runId): Promise<RunRecord | null> => (await storage.get("runs", id)) as RunRecord | null;
  return { storage, parts, engine, admitted, accept, read };
}

describe("acceptRun", () => {
  it("stores a run with all that the request says, and submits it", async () => {
    const { accept, read, engine, admitted } = scene({ open: 3 });
    const accepted = await accept({
      runId,
      owner: ada,
      priority: 4,
      notBefore: 5000,
      ttlMs: 60,
      note: { of: "transport" },
      options: { sessionId: "s", metadata: { plan: "free" } },
    });

    expect(accepted).toEqual({ runId, sessionId: "s", isNew: true });
    expect(await read()).toEqual({
      v: 1,
      runId,
      kind: "agent",
      name: "a",
      owner: ada,
      sessionId: "s",
      input: "Hello.",
      options: { sessionId: "s", metadata: { plan: "free" } },
      createdAt: 1000,
      expiresAt: 1060,
      priority: 7,
      notBefore: 5000,
      activation: 1,
      status: "queued",
      attempts: 0,
      plan: tools,
      note: { of: "transport" },
    });
    expect(engine.jobs).toEqual([{ runId, activation: 1, priority: 7, notBefore: 5000 }]);
    expect(admitted).toEqual([[{ kind: "user", key: "t/ada" }, undefined]]);
  });

  it("gives a run a session of its own, and nothing that was not asked for", async () => {
    const { accept, read, engine } = scene();
    const { sessionId } = await accept({ runId });
    expect(sessionId).toMatch(/^[\da-f-]{36}$/);
    const owner = expect.not.objectContaining({ userId: expect.anything() });
    expect(await read()).toEqual({
      v: 1,
      runId,
      kind: "agent",
      name: "a",
      owner,
      sessionId,
      isNewSession: true,
      input: "Hello.",
      options: {},
      createdAt: 1000,
      priority: 10,
      activation: 1,
      status: "queued",
      attempts: 0,
      plan: tools,
    });
    expect(engine.jobs).toEqual([{ runId, activation: 1, priority: 10 }]);
  });

  const long = "x".repeat(33_000);
  const bytes = expect.closeTo(33_000, -2);
  it.each<[given: Partial<RunRequest>, caller: object, bytes: unknown, counted: object]>([
    [{}, { kind: "host", key: "#host" }, undefined, {}],
    [{ input: long }, { kind: "host", key: "#host" }, undefined, {}],
    [{ owner: ada, input: long }, { kind: "user", key: "t/ada" }, undefined, {}],
    [{ isBearer: true }, { kind: "anonymous", key: "#" }, undefined, { anonymous: "#", isBearer: true }],
    [
      { isBearer: true, input: long },
      { kind: "anonymous", key: "#" },
      bytes,
      { anonymous: "#", inputBytes: bytes, isBearer: true },
    ],
    [{ owner: { userId: "ada", verified: false } }, { kind: "anonymous", key: "#" }, undefined, { anonymous: "#" }],
    [
      { isBearer: true, address: "192.0.2.1" },
      { kind: "anonymous", key: expect.stringMatching(/^#[\da-f]{16}$/) },
      undefined,
      { anonymous: expect.stringMatching(/^#[\da-f]{16}$/), isBearer: true },
    ],
  ])("counts a run of %j for its caller", async (given, ...[caller, size, counted]) => {
    const { accept, read, admitted } = scene();
    await accept({ runId, ...given });
    expect(admitted).toEqual([[caller, size]]);
    const { anonymous, inputBytes, isBearer } = (await read()) ?? {};
    expect(JSON.parse(JSON.stringify({ anonymous, inputBytes, isBearer }))).toEqual(counted);
  });

  it("finds the run of an earlier request with the same key, and submits it again while it is queued", async () => {
    const { accept, engine, admitted, parts } = scene();
    const keyed = { idempotencyKey: "k", owner: ada, options: { sessionId: "s" } };
    const first = await accept(keyed);
    expect(await accept({ ...keyed, mustExist: true })).toEqual({ ...first, isNew: false });
    expect(engine.jobs).toEqual([1, 2].map(() => ({ runId: first.runId, activation: 1, priority: 10 })));
    for (const status of ["running", "waiting", "completed"] as const) {
      await parts.store.change(first.runId, (record) => ({ ...record, status }));
      expect(await accept(keyed)).toEqual({ ...first, isNew: false });
    }
    expect(engine.jobs).toHaveLength(2);
    expect(admitted).toHaveLength(1);

    const fields = { runId: first.runId };
    await expect(accept({ ...keyed, input: "Other." })).rejects.toMatchObject({ code: "idempotency_mismatch", fields });
    await expect(accept({ ...keyed, owner: { ...ada, userId: "bob" } })).resolves.toMatchObject({ isNew: true });
  });

  it("finds the run of a request with the same key that was stored meanwhile", async () => {
    const { accept, engine, parts } = scene();
    const [one, again] = await Promise.all(
      [1, 2].map(() => accept({ idempotencyKey: "k", options: { sessionId: "s" } })),
    );
    expect([one?.isNew, again?.isNew].toSorted((a) => (a === true ? -1 : 1))).toEqual([true, false]);
    expect(again).toEqual({ ...one, isNew: !one?.isNew });
    expect(new Set(engine.jobs.map(({ runId: id }) => id)).size).toBe(1);
    expect(parts.admission?.check({ kind: "user", key: "-/x" as CountedCaller["key"] }, 0)).toBe(0);
  });

  it.each<[what: string, given: Partial<RunRequest>, code: string]>([
    ["whose id is taken", { runId: other }, "conflict"],
    ["that is gone", { idempotencyKey: "k", mustExist: true }, "gone"],
    ["of an unknown agent", { name: "constructor" }, "not_found"],
    ["with local options", { local: {} }, "invalid_request"],
    ["with wrong options", { options: { limits: { durationMs: 0 } } }, "invalid_request"],
    ["with wrong keys", { keys: { apiKey: "a b" } }, "invalid_request"],
  ])("keeps nothing of a request %s", async (_what, given, code) => {
    const { accept, storage, engine, parts } = scene({ sealKeys });
    await accept({ runId: other });
    const before = await storage.list("run-by");
    await expect(accept({ runId, ...given })).rejects.toMatchObject({ code });
    expect(await storage.list("run-by")).toEqual(before);
    expect([engine.jobs.length, parts.locals.size, parts.begun.size]).toEqual([1, 0, 0]);
  });

  it("keeps the keys of a caller sealed, and local options in the memory of the process", async () => {
    const { accept, read, parts } = scene({ sealKeys, isEphemeral: true });
    const keys = { apiKeys: { scripted: "the-key" } };
    const local = { metadata: { file: "x" } };
    await accept({ runId, keys, local });
    const record = await read();
    expect(JSON.stringify(record)).not.toMatch(/the-key|file/);
    expect(parts.vault.open(runId, record?.keys)).toEqual(keys);
    expect([...parts.locals]).toEqual([[runId, local]]);
  });

  it("forgets keys and local options of a run that cannot be stored", async () => {
    const { accept, parts, engine } = scene({ isEphemeral: true });
    const beforeStored = () => Promise.reject(new Error("No room."));
    await expect(accept({ runId, keys: { apiKey: "k" }, local: {}, beforeStored })).rejects.toThrow("No room.");
    expect(parts.vault.open(runId, "")).toBeNull();
    expect([engine.jobs.length, parts.locals.size]).toEqual([0, 0]);
  });

  it("has accepted a run that the engine does not take, and tells that", async () => {
    const lines: string[] = [];
    const logger = createLogger({ level: "warn", write: (line) => lines.push(line) });
    const { accept, engine, read } = scene({ logger });
    engine.failure = new Error("full");
    expect(await accept({ runId })).toMatchObject({ runId, isNew: true });
    expect(await read()).toMatchObject({ status: "queued" });
    expect(lines).toEqual([expect.stringContaining("The engine did not take a run. It is submitted again.")]);
    expect(lines[0]).toContain(runId);
  });
});

describe("a run that this process performs at once", () => {
  async function served(options: Parameters<typeof scene>[0] = {}) {
    const made = scene(options);
    await made.engine.serve(async () => undefined, { concurrency: 1 });
    return made;
  }

  it("is stored with the first attempt, and known as begun", async () => {
    const { accept, parts, storage, read, engine } = await served({ node: "here", sealKeys });
    const keys = { apiKey: "k" };
    await accept({ runId, keys });
    const begun = parts.begun.get(runId);
    const record = await read();
    expect(begun).toMatchObject({
      record,
      keys,
      plan: record?.plan,
      print: hashOf(record?.plan),
      target: { name: "a" },
    });
    expect(begun?.first.entries).toMatchObject([{ t: "attempt", n: 1, node: "here", print: begun?.print }]);
    expect((await storage.list("run-log")).map(({ value }) => value)).toEqual([begun?.first]);
    expect(engine.released).toEqual([]);
  });

  it.each<[what: string, given: Partial<RunRequest>]>([
    ["may come twice", { idempotencyKey: "k" }],
    ["begins later", { notBefore: 0 }],
    ["has a long input", { input: "x".repeat(33_000) }],
  ])("is not one that %s", async (_what, given) => {
    const { accept, parts, storage } = await served();
    await accept(given);
    expect(parts.begun.size).toBe(0);
    expect(await storage.list("run-log")).toEqual([]);
  });

  it("gives its place back when its id is taken, or when it cannot be stored", async () => {
    const { accept, parts, engine } = await served();
    await parts.store.insert(newRecord({ runId, createdAt: 1 }));
    await expect(accept({ runId })).rejects.toMatchObject({ code: "conflict" });
    const beforeStored = vi.fn<() => Promise<void>>().mockRejectedValue(new Error("No room."));
    await expect(accept({ runId: other, beforeStored })).rejects.toThrow("No room.");
    expect(engine.released).toEqual([runId, other]);
    expect(parts.begun.size).toBe(0);
  });
});
