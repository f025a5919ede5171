import { describe, expect, it } from "vitest";
import { Agent } from "../../agents/agent/agent.ts";
import type { TroupeError } from "../../base/errors/troupe-error.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { ownerKey } from "../../sessions/storage/owner-key.ts";
import type { StorageDriver } from "../../sessions/storage/storage-driver.ts";
import { ScriptedModel } from "../../testing/scripted-model.ts";
import { Admission } from "../processes/admission.ts";
import { LocalEngine } from "../processes/local-engine.ts";
import type { RunJob } from "../processes/run-engine.ts";
import { anonymousCaller, countedCaller } from "../../sessions/session/counted-caller.ts";
import type { RunRequest } from "../record/run-view.ts";
import { askingRunnable, runnableOf } from "./test/asking-runnable.ts";
import { makeService, readEvents, request, scriptedAgent, serveRuns, textOf, untilStatus } from "./test/services.ts";

/** Storage of which the service knows only that other processes may use it. */
function lastingStorage(): StorageDriver {
  const storage = new InMemoryStorage();
  return new Proxy(storage, {
    getPrototypeOf: () => Object.prototype,
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === "function" ? (member.bind(target) as unknown) : member;
    },
  });
}

describe("RunService.accept", () => {
  const service = () => makeService({ agents: { a: scriptedAgent([]) }, storage: new InMemoryStorage() });

  it.each([
    [{ kind: "agent", name: "b" }, "not_found", /Agent "b" not found/],
    [{ kind: "team", name: "a" }, "not_found", /Team "a" not found/],
    [{ kind: "toString", name: "a" }, "invalid_request", /kind must be "agent", "team" or "workflow"/],
    [{ options: { tools: [] } }, "invalid_request", /options.tools must be left out of a durable run/],
    [{ options: { model: {} } }, "invalid_request", /options.model must be left out/],
    [{ options: { signal: 1 } }, "invalid_request", /options.signal must be left out/],
    [{ options: { apiKey: "k" } }, "invalid_request", /options.apiKey must be left out.*keys.apiKey/],
    [{ options: { metadata: { at: () => 1 } } }, "invalid_request", /options of a durable run must be JSON/],
    [{ options: { temperature: 1 } }, "invalid_request", /Unknown option "temperature" of options/],
    [{ options: { limits: { durationMs: -1 } } }, "invalid_request", /limits.durationMs must be/],
    [{ options: { sessionId: "a/b" } }, "invalid_request", /sessionId must be/],
    [{ input: 5 }, "invalid_request", /./],
    [{ input: undefined }, "invalid_request", /./],
    [{ owner: { userId: "" } }, "invalid_request", /userId must be/],
    [{ runId: "mine" }, "invalid_request", /runId must be a UUID/],
    [{ idempotencyKey: "" }, "invalid_request", /idempotencyKey must be/],
    [{ mustExist: true }, "invalid_request", /mustExist goes with an idempotencyKey/],
    [{ mustExist: true, idempotencyKey: "k" }, "gone", /no run of this idempotency key/],
    [{ local: { metadata: {} } }, "invalid_request", /local is for a RunService without a storage/],
    [{ keys: { apiKeys: { openai: "with space" } } }, "invalid_request", /apiKeys.openai must be/],
    [{ priority: -1 }, "invalid_request", /priority must be/],
    [{ when: 1 }, "invalid_request", /Unknown option "when"/],
  ])("refuses %j as %s, and keeps nothing of it [durable.accept-checks]", async (change, code, message) => {
    const thrown = await service()
      .accept({ ...request, ...change } as RunRequest)
      .catch((error: TroupeError) => error);
    expect(thrown).toMatchObject({ code, message: expect.stringMatching(message) });
  });

  it("calls beforeStored once for a run that is accepted, and not for one that is refused or found again", async () => {
    const limits = { maxQueued: 100, perCaller: 1 };
    const runs = makeService({ agents: { a: scriptedAgent([]) }, storage: new InMemoryStorage(), admission: limits });
    const calls: string[] = [];
    const accept = async (name: string, more: Partial<RunRequest>) =>
      await runs.accept({
        ...request,
        owner: { userId: "ada" },
        ...more,
        beforeStored: async () => void calls.push(name),
      });

    await expect(accept("wrong", { options: { limits: { durationMs: -1 } } })).rejects.toThrow("durationMs");
    await accept("first", { idempotencyKey: "k" });
    await accept("again", { idempotencyKey: "k" });
    await expect(accept("one too many", {})).rejects.toMatchObject({ code: "rate_limited" });

    expect(calls).toEqual(["first"]);
  });

  it("accepts no run whose beforeStored rejects", async () => {
    const runs = service();
    const runId = "11111111-1111-4111-8111-111111111111";
    const beforeStored = async () => await Promise.reject(new Error("No room."));

    await expect(runs.accept({ ...request, runId, beforeStored })).rejects.toThrow("No room.");

    await expect(runs.get(runId, "host")).rejects.toMatchObject({ code: "not_found" });
    expect(await runs.accept({ ...request, runId })).toMatchObject({ runId, isNew: true });
  });

  it("refuses the id of a run that is there", async () => {
    const runs = service();
    const { runId } = await runs.accept(request);
    await expect(runs.accept({ ...request, runId })).rejects.toMatchObject({ code: "conflict" });
  });

  it("refuses a storage without compareAndSet [durable.storage]", () => {
    const storage = Object.assign(new InMemoryStorage(), { compareAndSet: undefined }) as unknown as StorageDriver;
    expect(() => makeService({ storage })).toThrow(
      expect.objectContaining({ code: "invalid_config", message: expect.stringContaining("compareAndSet") }),
    );
  });

  it("refuses keys for a lasting storage without sealKeys, and names them [durable.seal]", async () => {
    const runs = makeService({ agents: { a: scriptedAgent([]) }, storage: lastingStorage() });
    const thrown = await runs.accept({ ...request, keys: { apiKey: "k" } }).catch((error: TroupeError) => error);
    expect(thrown).toMatchObject({ code: "invalid_request", message: expect.stringContaining("sealKeys") });
  });

  it("gives a run the keys of its caller, from memory or sealed [durable.seal]", async () => {
    for (const sealKeys of [undefined, ["s".repeat(32)]]) {
      const model = new ScriptedModel({ text: "Fine." });
      const runs = await serveRuns({
        agents: { a: new Agent({ name: "a", model }) },
        storage: new InMemoryStorage(),
        sealKeys,
      });
      const { runId } = await runs.accept({ ...request, keys: { apiKeys: { scripted: "the-key" } } });
      await readEvents(runs, runId);
      expect(model.calls[0]?.options?.apiKey).toBe("the-key");
    }
  });

  it("lets a run wait whose seal key is gone, and opens what an older one has sealed [durable.seal]", async () => {
    const storage = lastingStorage();
    const [old, young] = ["o".repeat(32), "y".repeat(32)];
    const agents = { a: scriptedAgent([{ text: "Fine." }]) };
    const before = makeService({ agents, storage, sealKeys: [old] });
    const { runId } = await before.accept({ ...request, keys: { apiKey: "k" } });
    const without = await serveRuns({ agents, storage, sealKeys: [young] });
    const { waits } = await untilStatus(without, runId, "waiting");
    expect(waits?.[0]).toMatchObject({ kind: "upgrade", about: { missing: [expect.stringContaining("seal key")] } });
    await without.close();
    const after = await serveRuns({ agents, storage, sealKeys: [young, old] });

    expect(textOf(await readEvents(after, runId))).toBe("Fine.");
  });
});

describe("the admission of runs", () => {
  it("refuses runs beyond those that may wait, and those beyond a caller's [durable.admission]", async () => {
    const admission = { maxQueued: 4, perCaller: 2 };
    const runs = makeService({ agents: { a: scriptedAgent([]) }, storage: new InMemoryStorage(), admission });
    const of = async (userId?: string) => await runs.accept({ ...request, owner: { userId } });
    await of("ada");
    const second = await of("ada");
    await expect(of("ada")).rejects.toMatchObject({ code: "rate_limited", fields: { retryAfterMs: 1000, limit: 2 } });
    await of("bob");
    await of();
    await expect(of()).rejects.toMatchObject({ code: "rate_limited", fields: { limit: 4 } });
    await runs.cancel(second.runId, { userId: "ada" });
    await of("ada");
  });

  it("counts runs that wait for an answer as open [durable.admission]", async () => {
    const agents = { a: askingRunnable() };
    const runs = await serveRuns({ agents, storage: new InMemoryStorage(), admission: { perCaller: 1 } });
    const ada = { ...request, owner: { userId: "ada" } };
    const { runId } = await runs.accept(ada);
    await untilStatus(runs, runId, "waiting");
    await expect(runs.accept(ada)).rejects.toMatchObject({ code: "rate_limited" });
    await runs.answer(runId, "t.0.0", { approved: true }, "host");
    await untilStatus(runs, runId, "completed");
    await runs.accept(ada);
  });

  it("counts those still that wait, when a sweep has found the others [durable.admission]", () => {
    const admission = new Admission({ maxQueued: 10, perCaller: 2, maxAnonymousBytes: 1024 });
    const owner = countedCaller({ userId: "ada" });
    for (const runId of ["1", "2", "3"]) admission.add({ runId }, owner);
    admission.wait("1", owner);
    admission.replace([]);
    expect(admission.check(owner, 0)).toBe(1);
    admission.replace([
      { v: 1, runId: "2", submittedAt: 0, activation: 1, priority: 10, owner: ownerKey({ userId: "ada" }) },
    ]);
    expect(() => admission.check(owner, 0)).toThrow(expect.objectContaining({ code: "rate_limited" }));
    admission.remove("1");
    expect(admission.check(owner, 0)).toBe(1);
    // A run that is over waits no more, whatever a later sweep finds.
    admission.replace([]);
    expect(admission.check(owner, 0)).toBe(0);
  });

  it("counts the bytes of callers without a user that a sweep has found, until their runs end [durable.callers]", () => {
    const admission = new Admission({ maxQueued: 100, perCaller: 2, maxAnonymousBytes: 1024 });
    const [caller, found] = [
      anonymousCaller(),
      { v: 1, submittedAt: 0, activation: 1, priority: 10, owner: ownerKey({}) } as const,
    ];
    admission.replace([{ ...found, runId: "1", anonymous: caller.key, inputBytes: 1024 }]);
    expect(() => admission.check(caller, 0)).toThrow(/ 1024 bytes of inputs of open runs, which is the limit/);
    expect(admission.check(countedCaller({ userId: "ada" }), 0)).toBe(0);
    admission.remove("1");
    expect(admission.check(caller, 0)).toBe(0);
    admission.replace([{ ...found, runId: "2", anonymous: caller.key, inputBytes: 101 }]);
    expect(admission.check(caller, 0)).toBe(1);
  });

  it("lets the caller with fewer open runs go first [durable.fairness]", async () => {
    const jobs: RunJob[] = [];
    class Noting extends LocalEngine {
      override async submit(job: RunJob): Promise<void> {
        jobs.push(job);
        await super.submit(job);
      }
    }
    const engine = new Noting();
    const order: (string | undefined)[] = [];
    const agent = runnableOf(async function* (_journal, { userId }) {
      order.push(userId);
      yield { type: "text", text: "." };
      return "";
    });
    const runs = makeService({ agents: { a: agent }, storage: new InMemoryStorage(), engine });
    for (const userId of ["ada", "ada", "ada", "bob"]) await runs.accept({ ...request, owner: { userId } });
    const { runId } = await runs.accept({ ...request, owner: { userId: "eve" }, priority: 50 });
    await runs.serve({ concurrency: 1 });
    await untilStatus(runs, runId, "completed");

    expect(jobs.slice(0, 5).map(({ priority }) => priority)).toEqual([10, 11, 12, 10, 50]);
    expect(order).toEqual(["ada", "bob", "ada", "ada", "eve"]);
    expect(Object.keys(jobs[0] ?? {}).toSorted()).toEqual(["activation", "priority", "runId"]);
    await runs.close();
    await engine.close();
  });
});
