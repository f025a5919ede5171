import { describe, expect, it } from "vitest";
import { defineTool } from "../../agents/tool/define-tool.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { askingRunnable, runnableOf } from "./test/asking-runnable.ts";
import {
  fakeClock,
  makeService,
  readEvents,
  request,
  runRecordsIn,
  scriptedAgent,
  serveRuns,
  soon,
  textOf,
  untilStatus,
} from "./test/services.ts";

/** A runnable that writes this many long chunks. */
const talking = (count: number) =>
  runnableOf(async function* () {
    for (let index = 0; index < count; index++) {
      await new Promise(setImmediate);
      yield { type: "text", text: `${index}`.padEnd(1000, ".") };
      if (index % 10 === 0) await new Promise((resolve) => setTimeout(resolve, 60));
    }
    return "";
  });

describe("a RunService without a storage", () => {
  it("keeps the newest ended runs, and drops the others [durable.ephemeral]", async () => {
    const agents = { a: scriptedAgent(Array.from({ length: 5 }, () => ({ text: "Hm." }))) };
    const service = await serveRuns({ agents, retention: { maxEnded: 2 } });
    const runIds: string[] = [];
    for (let count = 0; count < 5; count++) {
      const { runId } = await service.accept(request);
      runIds.push(runId);
      await readEvents(service, runId);
      await untilStatus(service, runId, "completed");
    }
    await new Promise(setImmediate);

    const found = await Promise.all(runIds.map(async (runId) => await service.get(runId, "host").catch(() => null)));
    expect(found.map((view) => view !== null)).toEqual([false, false, false, true, true]);
  });

  it("drops the oldest chunks of a run that has too many: behind them a reader is gone [durable.ephemeral]", async () => {
    fakeClock();
    const service = await soon(serveRuns({ agents: { a: talking(40) }, retention: { maxBytesPerRun: 10_000 } }));
    const { runId } = await soon(service.accept(request));
    const attached = await soon(readEvents(service, runId));
    expect(textOf(attached)).toHaveLength(40_000);

    await expect(soon(readEvents(service, runId))).rejects.toMatchObject({ code: "gone" });
    const late = attached.at(-3);
    expect(await soon(readEvents(service, runId, late?.id))).toEqual(attached.slice(-2));
  });

  it("goes on from a wait although chunks were dropped [durable.ephemeral]", async () => {
    const asking = askingRunnable();
    const service = await serveRuns({ agents: { a: asking }, retention: { maxBytesPerRun: 1024 } });
    const { runId } = await service.accept(request);
    await untilStatus(service, runId, "waiting");
    await service.answer(runId, "t.0.0", { approved: false, reason: "x".repeat(5000) }, "host");
    expect((await untilStatus(service, runId, "completed")).attempts).toBe(2);
  });

  it("hands over what no record can hold, and ends the run with the caller's signal [durable.local]", async () => {
    const seen: unknown[] = [];
    const note = defineTool({
      name: "note",
      description: "Notes.",
      parameters: { type: "object" },
      execute: (_args, { metadata }) => (seen.push(metadata["call"]), "noted"),
    });
    const call = () => "a function";
    const agents = { a: scriptedAgent([{ toolCalls: [{ name: "note" }] }, { text: "Noted." }]) };
    const service = await serveRuns({ agents });
    const { runId } = await service.accept({ ...request, local: { tools: [note], metadata: { call } } });
    expect(textOf(await readEvents(service, runId))).toBe("Noted.");
    expect(seen).toEqual([call]);

    const abort = new AbortController();
    const waiting = await serveRuns({ agents: { a: scriptedAgent([{ text: "Never.", delayMs: 100_000 }]) } });
    const second = await waiting.accept({ ...request, local: { signal: abort.signal } });
    await untilStatus(waiting, second.runId, "running");
    abort.abort();
    await untilStatus(waiting, second.runId, "cancelled");
  });
});

describe("the access to a run", () => {
  it("has a run without a user for all who know its id, within its tenant [durable.access]", async () => {
    const service = makeService({ agents: { a: scriptedAgent([]) }, storage: new InMemoryStorage() });
    const { runId } = await service.accept({ ...request, owner: { tenantId: "t" } });
    const callers = [{ tenantId: "t" }, { tenantId: "t", userId: "ada" }];
    for (const caller of callers) expect((await service.get(runId, caller)).runId).toBe(runId);
    await expect(service.get(runId, {})).rejects.toMatchObject({ code: "not_found" });
  });

  it("has a bearer run of a claimed user for callers without a user too, and no others [durable.access]", async () => {
    const service = makeService({ agents: { a: scriptedAgent([]) }, storage: new InMemoryStorage() });
    const claimed = { userId: "ada", verified: false };
    const { runId } = await service.accept({ ...request, owner: claimed, isBearer: true });
    for (const caller of [{}, claimed]) expect((await service.get(runId, caller)).runId).toBe(runId);
    for (const caller of [{ userId: "ada" }, { userId: "bob", verified: false }]) {
      await expect(service.get(runId, caller)).rejects.toMatchObject({ code: "not_found" });
    }
  });
});

describe("the runs of a session", () => {
  it("are found by it while they are open, the one that waits first [durable.session]", async () => {
    const service = await serveRuns({ agents: { a: askingRunnable() }, storage: new InMemoryStorage() });
    const owner = { userId: "ada" };
    const inSession = { ...request, owner, options: { sessionId: "s" } };
    const { runId } = await service.accept(inSession);
    await untilStatus(service, runId, "waiting");
    await service.accept({ ...inSession, notBefore: Date.now() + 100_000 });

    expect((await service.runOfSession("s", owner))?.runId).toBe(runId);
    expect(await service.runOfSession("s", { userId: "bob" })).toBeNull();
    expect(await service.runOfSession("other", owner)).toBeNull();
  });

  it("go with the session, and those of a user with the user, in the stores of the agents [durable.forget]", async () => {
    const storage = new InMemoryStorage();
    const agent = scriptedAgent([{ text: "1" }, { text: "2" }]);
    const service = await serveRuns({ agents: { a: agent }, storage });
    const owner = { userId: "ada" };
    for (const sessionId of ["s", "t"]) {
      const { runId } = await service.accept({ ...request, owner, options: { sessionId } });
      await readEvents(service, runId);
      await untilStatus(service, runId, "completed");
    }
    await agent.sessions.deleteSession("s", { owner });
    expect((await service.list(owner)).runs.map(({ sessionId, output }) => [sessionId, output])).toEqual([
      ["t", undefined],
    ]);
    expect((await service.list(owner, { hasOutputs: true })).runs[0]?.output).toMatchObject({ text: "2" });
    await agent.sessions.deleteUser("ada");

    expect(await runRecordsIn(storage)).toEqual([]);
  });

  it("are removed also while they are under way or wait, and their readers are gone [durable.forget]", async () => {
    const storage = new InMemoryStorage();
    const service = await serveRuns({ agents: { a: askingRunnable() }, storage });
    const { runId } = await service.accept(request);
    await untilStatus(service, runId, "waiting");
    const reading = readEvents(service, runId).catch((error: unknown) => error);
    await new Promise(setImmediate);
    await service.delete(runId, "host");

    const outcome = await reading;
    expect(Array.isArray(outcome) ? outcome.at(-1) : outcome).toMatchObject(
      Array.isArray(outcome) ? { type: "end" } : { code: "gone" },
    );
    expect(await runRecordsIn(storage)).toEqual([]);
    await expect(service.get(runId, "host")).rejects.toMatchObject({ code: "not_found" });
  });
});

describe("a run with ttlMs", () => {
  it("is not_found and not listed from then on, and leaves nothing, whatever it does [durable.ttl]", async () => {
    const storage = new InMemoryStorage();
    let now = Date.now();
    const service = await serveRuns({ agents: { a: askingRunnable() }, storage, now: () => now });
    const owner = { userId: "ada" };
    const started = { ...request, owner, ttlMs: 60_000 };
    const [waiting, ended] = [await service.accept(started), await service.accept(started)];
    const kept = await service.accept({ ...request, owner });
    await untilStatus(service, waiting.runId, "waiting");
    await untilStatus(service, kept.runId, "waiting");
    await service.cancel(ended.runId, owner);
    const view = await untilStatus(service, ended.runId, "cancelled");
    expect(view.expiresAt).toBe(view.createdAt + 60_000);
    expect((await service.get(kept.runId, owner)).expiresAt).toBeUndefined();

    now += 60_000;
    for (const { runId } of [waiting, ended]) {
      await expect(service.get(runId, owner)).rejects.toMatchObject({ code: "not_found" });
    }
    expect((await service.list(owner)).runs.map(({ runId }) => runId)).toEqual([kept.runId]);
    await service.removal.cleanUp();
    expect((await runRecordsIn(storage)).filter((key) => !key.includes(kept.runId))).toEqual([]);

    await service.cancel(kept.runId, owner);
    const over = await untilStatus(service, kept.runId, "cancelled");
    expect(over.expiresAt).toBe(Number(over.endedAt) + 168 * 3_600_000);
    await expect(service.accept({ ...request, ttlMs: 0 })).rejects.toMatchObject({ code: "invalid_request" });
  });
});
