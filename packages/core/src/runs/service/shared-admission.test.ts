import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { SharedAdmission } from "../processes/shared-admission.ts";
import type { AdmissionOptions } from "../processes/run-service-options.ts";
import type { RunEngine, RunJob, Serving } from "../processes/run-engine.ts";
import type { RunService } from "./run-service.ts";
import { countedCaller } from "../../sessions/session/counted-caller.ts";
import { RunStore } from "../record/run-store.ts";
import type { RunStorage } from "../record/run-record.ts";
import { askingRunnable } from "./test/asking-runnable.ts";
import { RemoteStorage } from "../../sessions/storage/test/remote-storage.ts";
import { makeService, readEvents, request, scriptedAgent, untilStatus } from "./test/services.ts";

/** An engine whose queue several services share. The one that serves performs each job at once. */
class SharedQueue implements RunEngine {
  readonly jobs: RunJob[] = [];
  counts = 0;
  #perform: Parameters<RunEngine["serve"]>[0] | undefined;

  async submit(job: RunJob): Promise<void> {
    this.jobs.push(job);
    if (this.#perform !== undefined) this.#performNext(this.#perform);
  }

  async withdraw(runId: string): Promise<void> {
    const index = this.jobs.findIndex((job) => job.runId === runId);
    if (index !== -1) this.jobs.splice(index, 1);
  }

  async serve(perform: Parameters<RunEngine["serve"]>[0]): Promise<Serving> {
    this.#perform = perform;
    while (this.jobs.length > 0) this.#performNext(perform);
    return { drain: async () => {} };
  }

  async waiting(): Promise<number> {
    this.counts += 1;
    return this.jobs.length;
  }

  async close(): Promise<void> {}

  #performNext(perform: Parameters<RunEngine["serve"]>[0]): void {
    const job = this.jobs.shift();
    if (job !== undefined) void this.#performUntilKept(job, perform);
  }

  /** A job is handed back while its attempt before is ending: it comes again. */
  async #performUntilKept(job: RunJob, perform: Parameters<RunEngine["serve"]>[0]): Promise<void> {
    const back = await perform(job, new AbortController().signal);
    if (back === undefined) return;
    await new Promise((resolve) => setTimeout(resolve, back.againInMs).unref());
    await this.#performUntilKept(job, perform);
  }
}

/** Two services of two processes over one storage and one queue. */
function twoNodes(admission: AdmissionOptions, agent: object = scriptedAgent([])) {
  const engine = new SharedQueue();
  const one = new RemoteStorage();
  const agents = { a: agent } as never;
  const nodes = [one.driver, new RemoteStorage({}, one.inner).driver].map((storage) =>
    makeService({ agents, storage, engine, admission }),
  ) as [RunService, RunService];
  return { nodes, engine, inner: one.inner };
}

const ada = { ...request, owner: { userId: "ada" } };
const bob = { ...request, owner: { userId: "bob" } };

/** The ids of ada's open runs, by their list. */
async function listedIn(inner: InMemoryStorage): Promise<string[]> {
  return (await inner.list("run-by", "-/ada/open/")).map(({ key }) => key.slice(key.indexOf(".") + 1));
}

describe("the admission of runs by several processes", () => {
  it("counts the open runs of a caller that all of them have accepted [durable.admission]", async () => {
    const { nodes } = twoNodes({ perCaller: 3 });
    await nodes[0].accept(ada);
    await nodes[1].accept(ada);
    // The first of the list, which it is still on just after its end.
    const runId = "00000000-0000-4000-8000-000000000000";
    await nodes[0].accept({ ...ada, runId });
    for (const node of nodes) {
      await expect(node.accept(ada)).rejects.toMatchObject({
        code: "rate_limited",
        fields: { retryAfterMs: 1000, limit: 3 },
      });
      await node.accept(bob);
      await node.accept(request);
    }

    await nodes[1].cancel(runId, { userId: "ada" });
    await nodes[1].accept(ada);
    await expect(nodes[0].accept(ada)).rejects.toMatchObject({ code: "rate_limited" });
  });

  it("lets the caller with fewer open runs of all of them go first [durable.fairness]", async () => {
    const { nodes, engine } = twoNodes({});
    for (const [index, each] of [ada, ada, ada, bob].entries()) await nodes[index % 2]?.accept(each);

    expect(engine.jobs.map(({ priority }) => priority)).toEqual([10, 11, 12, 10]);
  });

  it("refuses runs beyond those that wait in the queue of all of them, and counts these once a second [durable.admission]", async () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    const { nodes, engine } = twoNodes({ maxQueued: 3 });
    for (let count = 0; count < 3; count++) await nodes[0].accept(request);
    expect(engine.counts).toBe(1);
    await expect(nodes[1].accept(request)).rejects.toMatchObject({ code: "rate_limited", fields: { limit: 3 } });

    engine.jobs.length = 0;
    await expect(nodes[1].accept(request)).rejects.toMatchObject({ code: "rate_limited" });
    vi.advanceTimersByTime(1000);
    await nodes[1].accept(request);
    vi.useRealTimers();
  });

  it("counts the open runs of callers without a user with one list a second, and not against users [durable.callers]", async () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    onTestFinished(() => void vi.useRealTimers());
    const { nodes, inner, engine } = twoNodes({ maxQueued: 20, perCaller: 2 });
    const lists = vi.spyOn(inner, "list");
    const [anonymous, bearer] = [{ ...request, isBearer: true }, "#anonymous/"];
    const runIds: string[] = [];
    for (let count = 0; count < 20; count++) runIds.push((await nodes[0].accept(anonymous)).runId);
    await expect(nodes[0].accept(anonymous)).rejects.toMatchObject({ code: "rate_limited", fields: { limit: 20 } });
    await expect(nodes[1].accept(anonymous)).rejects.toMatchObject({ code: "rate_limited" });
    expect(lists.mock.calls.filter(([, prefix]) => prefix === bearer)).toHaveLength(2);

    expect(engine.jobs).toHaveLength(20);
    for (const node of nodes) await node.accept(ada);
    for (const runId of runIds.slice(1)) await nodes[1].cancel(runId, "host");
    await vi.waitFor(async () => expect(await inner.list("run-by", bearer)).toHaveLength(1));
    vi.advanceTimersByTime(1000);
    // Beside a user it is a tenth: one is open yet.
    await nodes[0].accept(anonymous);
    await expect(nodes[0].accept(anonymous)).rejects.toMatchObject({ fields: { limit: 2 } });
  });

  it("counts runs that wait for an answer, and keeps no ended run on the list of open ones [durable.admission]", async () => {
    const { nodes, engine, inner } = twoNodes({ perCaller: 1 }, askingRunnable());
    await nodes[1].serve();
    const { runId } = await nodes[0].accept(ada);
    await untilStatus(nodes[0], runId, "waiting");
    await expect(nodes[0].accept(ada)).rejects.toMatchObject({ code: "rate_limited" });
    expect(await listedIn(inner)).toEqual([runId]);
    await nodes[0].answer(runId, "t.0.0", { approved: true }, "host");
    await untilStatus(nodes[0], runId, "completed");

    // Also before the record and the list are up to date.
    const second = await nodes[0].accept(ada);
    await vi.waitFor(async () => expect(await listedIn(inner)).toEqual([second.runId]));
    expect((await nodes[0].list("host")).runs).toHaveLength(2);
    expect((await nodes[0].list({ userId: "ada" })).runs).toHaveLength(2);
    await nodes[0].forgetUser({ userId: "ada" });
    expect(await listedIn(inner)).toEqual([]);
    expect(engine.jobs).toEqual([]);
  });

  it("does not count a run whose log has its end, before its record does", async () => {
    const { nodes, inner } = twoNodes({ perCaller: 1 }, scriptedAgent([{ text: "1" }, { text: "2" }]));
    const put = inner.compareAndSet.bind(inner);
    const isAccepted = Promise.withResolvers<void>();
    vi.spyOn(inner, "compareAndSet").mockImplementation(async (...args) => {
      if (args[0] === "runs" && JSON.stringify(args[3]).includes('"completed"')) await isAccepted.promise;
      return await put(...args);
    });
    await nodes[1].serve();
    const { runId } = await nodes[0].accept(ada);
    await readEvents(nodes[0], runId);
    const second = await nodes[0].accept(ada);
    isAccepted.resolve();

    expect(await untilStatus(nodes[0], second.runId, "completed")).toMatchObject({ output: { text: "2" } });
  });

  it("repairs the list when a process died between the end of a run and that", async () => {
    const { nodes, inner } = twoNodes({ perCaller: 1 });
    const { runId } = await nodes[0].accept(ada);
    const record = (await inner.get("runs", runId)) as Record<string, never>;
    await inner.set("runs", runId, { ...record, status: "completed", endedAt: 1 });
    await nodes[1].serve();

    await vi.waitFor(async () => expect(await listedIn(inner)).toEqual([]));
  });

  it("takes a run off the list that its process did not finish accepting [durable.orphan]", async () => {
    let now = 0;
    const { driver, inner } = new RemoteStorage();
    const { nodes, inner: full } = twoNodes({});
    const { runId } = await nodes[0].accept(ada);
    for (const namespace of ["run-open", "run-by"]) {
      for (const { key, value } of await full.list(namespace)) await inner.set(namespace, key, value);
    }
    const store = new RunStore(driver as RunStorage, () => now, true);
    await store.lists.closeOrphan(runId);
    expect(await listedIn(inner)).toHaveLength(1);
    now = 61_000;
    await store.lists.closeOrphan(runId);

    expect(await listedIn(inner)).toEqual([]);
    expect(await inner.list("run-open")).toEqual([]);
  });

  it("counts the bytes of long inputs of callers without a user, which both processes have accepted [durable.callers]", async () => {
    const { nodes } = twoNodes({ maxAnonymousBytes: 320_000 });
    const long = { ...request, isBearer: true, input: "é".repeat(40_000) };
    for (const node of [nodes[0], nodes[0], nodes[0], nodes[1]]) await node.accept(long);
    for (const input of [long.input, "Hi."]) {
      await expect(nodes[1].accept({ ...long, input })).rejects.toMatchObject({
        code: "rate_limited",
        fields: { limit: 320_000 },
      });
    }
    await expect(nodes[1].accept({ ...ada, input: long.input })).resolves.toMatchObject({ isNew: true });
  });

  it("asks again at once for the runs of callers without a user when the storage could not list them", async () => {
    const remote = new RemoteStorage();
    const limits = { maxQueued: 1, perCaller: 1, maxAnonymousBytes: 1024 };
    const store = new RunStore(remote.driver as RunStorage, Date.now, true);
    const admission = new SharedAdmission({ limits, store, engine: new SharedQueue(), onError: () => {} });
    const list = vi.spyOn(store.storage, "list").mockRejectedValue(new Error("The storage is down."));
    onTestFinished(() => void vi.restoreAllMocks());
    const check = async () => await admission.check(countedCaller({}, "203.0.113.7"));

    const failing = await Promise.allSettled([check(), check()]);
    expect(failing.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    list.mockRestore();
    expect(await check()).toBe(0);
  });

  it("limits the runs of a caller and not those that wait while the engine cannot count them, and tells of that once", async () => {
    const engine = new SharedQueue();
    const store = new RunStore(new RemoteStorage().driver as RunStorage, Date.now, true);
    const onError = vi.fn<(error: unknown) => void>();
    const limits = { maxQueued: 1, perCaller: 1, maxAnonymousBytes: 1024 };
    const admission = new SharedAdmission({ limits, store, engine, onError });
    const waiting = vi.spyOn(engine, "waiting").mockRejectedValue(new Error("The queue cannot be reached."));
    const later = (ms: number) => vi.spyOn(performance, "now").mockReturnValue(performance.now() + ms);
    onTestFinished(() => void vi.restoreAllMocks());

    expect(await admission.check(countedCaller({ userId: "ada" }))).toBe(0);
    later(1001);
    expect(await admission.check(countedCaller({ userId: "ada" }))).toBe(0);
    expect(onError).toHaveBeenCalledTimes(1);
    waiting.mockResolvedValue(1);
    later(1001);
    await expect(admission.check(countedCaller({ userId: "ada" }))).rejects.toMatchObject({ code: "rate_limited" });
    waiting.mockReturnValue(new Promise(() => {}));
    later(1001);
    expect(await admission.check(countedCaller({ userId: "ada" }))).toBe(0);
    expect(onError).toHaveBeenLastCalledWith(expect.objectContaining({ code: "timeout" }));
  });
});
