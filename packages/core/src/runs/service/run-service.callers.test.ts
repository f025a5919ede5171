import { describe, expect, it, onTestFinished, vi } from "vitest";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import type { RunRequest } from "../record/run-view.ts";
import { askingRunnable, runnableOf } from "./test/asking-runnable.ts";
import { makeService, readEvents, request, scriptedAgent, serveRuns, untilStatus } from "./test/services.ts";

/** A run that a transport accepts for a caller without a user. */
const anonymous: RunRequest = { ...request, isBearer: true };
const ada: RunRequest = { ...request, owner: { userId: "ada" } };

/** Accepts a run again and again until it is refused, and returns the number of runs and the error. */
async function acceptAll(service: ReturnType<typeof makeService>, run: RunRequest, most = 200) {
  for (let accepted = 0; accepted < most; accepted++) {
    const error = await service.accept(run).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    if (error !== undefined) return { accepted, error };
  }
  return { accepted: most };
}

describe("the open runs of callers without a user", () => {
  const admitting = () =>
    makeService({
      agents: { a: scriptedAgent([]) },
      storage: new InMemoryStorage(),
      admission: { maxQueued: 30, perCaller: 3 },
    });

  it("may be as many as may wait, where no user comes [durable.callers]", async () => {
    expect(await acceptAll(admitting(), anonymous)).toMatchObject({ accepted: 30, error: { code: "rate_limited" } });
  });

  it("are a tenth beside users, and none of them counts against a user [durable.callers]", async () => {
    const runs = admitting();
    await acceptAll(runs, anonymous);
    expect((await acceptAll(runs, ada)).accepted).toBe(3);
    const others = admitting();
    await others.accept(ada);
    expect(await acceptAll(others, anonymous)).toMatchObject({
      accepted: 3,
      error: { fields: { limit: 3, retryAfterMs: 1000 }, message: expect.stringMatching(/^Callers without a user/) },
    });
  });

  it("are all counted together, whatever users the callers claim to be [durable.callers]", async () => {
    const runs = admitting();
    await runs.accept(ada);
    for (const userId of ["1", "2", "3"]) await runs.accept({ ...anonymous, owner: { userId, verified: false } });
    await expect(runs.accept({ ...anonymous, owner: { userId: "4", verified: false } })).rejects.toMatchObject({
      code: "rate_limited",
    });
  });

  it("are counted by address where one is known [durable.callers]", async () => {
    const runs = admitting();
    expect((await acceptAll(runs, { ...anonymous, address: "192.0.2.1" })).accepted).toBe(3);
    expect((await acceptAll(runs, { ...anonymous, address: "192.0.2.2" })).accepted).toBe(3);
  });

  it("are bounded by the bytes of their long inputs too, beside users by a tenth of these [durable.callers]", async () => {
    const storage = new InMemoryStorage();
    const limited = { agents: { a: askingRunnable() }, storage, admission: { maxAnonymousBytes: 640_000 } };
    const runs = makeService(limited);
    const long = { ...anonymous, input: "é".repeat(40_000) };
    const full = {
      error: { code: "rate_limited", message: expect.stringMatching(/640000 bytes of inputs of open runs/) },
    };
    expect(await acceptAll(runs, { ...anonymous, input: "é".repeat(8000) }, 30)).toEqual({ accepted: 30 });
    expect(await acceptAll(runs, long)).toMatchObject({ accepted: 8, ...full });
    // Also while they wait for answers, in a process that did not accept them.
    const next = await serveRuns({ ...limited, admission: { maxAnonymousBytes: 640_000, maxQueued: 5000 } });
    expect(await acceptAll(next, long)).toMatchObject({ accepted: 0, ...full });
    expect((await acceptAll(next, { ...ada, input: long.input })).accepted).toBe(20);

    const others = makeService({ ...limited, storage: new InMemoryStorage() });
    await others.accept(ada);
    expect(await acceptAll(others, long)).toMatchObject({ accepted: 1, error: { fields: { limit: 64_000 } } });
  });

  it("do not count the runs of the program itself [durable.callers]", async () => {
    const runs = admitting();
    await acceptAll(runs, anonymous);
    expect((await acceptAll(runs, request)).accepted).toBe(30);
  });
});

describe("a run of a caller without a user that waits for an answer", () => {
  it.each([
    ["memory", () => undefined],
    ["a storage", () => new InMemoryStorage()],
  ])("ends as timeout after a day, in %s; one of a user waits on [durable.anonymous-wait]", async (_, makeStorage) => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    onTestFinished(() => void vi.useRealTimers());
    let now = Date.now();
    const runs = await serveRuns({ agents: { a: askingRunnable() }, storage: makeStorage(), now: () => now });
    const [{ runId }, own] = [await runs.accept(anonymous), await runs.accept(ada)];
    for (const id of [runId, own.runId]) await untilStatus(runs, id, "waiting");
    now += 86_399_000;
    await vi.advanceTimersByTimeAsync(10_000);
    expect((await runs.get(runId, "host")).status).toBe("waiting");
    now += 1000;
    await vi.advanceTimersByTimeAsync(10_000);

    expect(await untilStatus(runs, runId, "error")).toMatchObject({ error: { code: "timeout" } });
    expect((await runs.get(own.runId, "host")).status).toBe("waiting");
    await expect(runs.answer(runId, "t.0.0", { approved: true }, "host")).rejects.toMatchObject({ code: "conflict" });
  });

  it("goes on when it is answered in time, and then waits anew [durable.anonymous-wait]", async () => {
    const runs = await serveRuns({ agents: { a: askingRunnable() }, retention: { anonymousWaitMs: 3_600_000 } });
    const { runId } = await runs.accept(anonymous);
    await untilStatus(runs, runId, "waiting");
    await runs.answer(runId, "t.0.0", { approved: true }, "host");
    expect(await untilStatus(runs, runId, "completed")).toMatchObject({ output: { text: '{"approved":true}' } });
  });
});

describe("the bytes of runs in memory", () => {
  const local = { input: "é".repeat(5000) };

  it("are bounded: a new run is refused while the open ones leave no room, and none of these is dropped [durable.memory]", async () => {
    const runs = await serveRuns({ agents: { a: askingRunnable() }, retention: { maxBytes: 100_000 } });
    const { accepted, error } = await acceptAll(runs, { ...anonymous, local });
    expect(accepted).toBeGreaterThan(4);
    expect(accepted).toBeLessThanOrEqual(10);
    expect(error).toMatchObject({
      code: "rate_limited",
      message: expect.stringMatching(/^Callers without a user have 100000 bytes/),
    });

    const { runId } = await runs.accept({ ...ada, local });
    await untilStatus(runs, runId, "waiting");
    expect((await runs.list("host")).runs).toHaveLength(accepted + 1);
  });

  it("may be a quarter of all for one user [durable.memory]", async () => {
    const runs = await serveRuns({ agents: { a: askingRunnable() }, retention: { maxBytes: 100_000 } });
    const { accepted, error } = await acceptAll(runs, { ...ada, local });
    expect(accepted).toBeLessThanOrEqual(3);
    expect(error).toMatchObject({ message: expect.stringMatching(/^This user has 25000 bytes/) });
    await runs.accept({ ...request, owner: { userId: "bob" }, local });
  });

  it("make the oldest ended runs of their own callers go, and no others' [durable.memory]", async () => {
    const talking = runnableOf(async function* () {
      yield { type: "text", text: "x".repeat(5000) };
      return "";
    });
    const runs = await serveRuns({ agents: { a: talking }, retention: { maxBytes: 60_000 } });
    const finish = async (run: RunRequest): Promise<string> => {
      const { runId } = await runs.accept(run);
      await readEvents(runs, runId);
      await untilStatus(runs, runId, "completed");
      return runId;
    };
    const isThere = async (runId: string) => (await runs.get(runId, "host").catch(() => null)) !== null;
    const own = await finish(ada);
    const others: string[] = [];
    for (let count = 0; count < 20; count++) others.push(await finish(anonymous));
    await new Promise(setImmediate);

    expect(await isThere(own)).toBe(true);
    const kept = await Promise.all(others.map(isThere));
    expect(kept.at(-1)).toBe(true);
    expect(kept.lastIndexOf(false)).toBe(kept.indexOf(true) - 1);
    // A tenth of the bytes, and at least the newest.
    expect(kept.filter(Boolean)).toHaveLength(1);
  });

  it("are counted by number too: ended runs of callers without a user leave those of a user [durable.ephemeral]", async () => {
    const agents = { a: scriptedAgent(Array.from({ length: 40 }, () => ({ text: "Hm." }))) };
    const runs = await serveRuns({ agents, retention: { maxEnded: 20 } });
    const finish = async (run: RunRequest): Promise<string> => {
      const { runId } = await runs.accept(run);
      await untilStatus(runs, runId, "completed");
      return runId;
    };
    const own = await finish(ada);
    const others: string[] = [];
    for (let count = 0; count < 25; count++) others.push(await finish(anonymous));
    await new Promise(setImmediate);

    const { runs: kept } = await runs.list("host", { limit: 100 });
    expect(new Set(kept.map(({ runId }) => runId))).toEqual(new Set([own, ...others.slice(-2)]));
  });
});
