import { createLogger, TroupeError } from "@troupe/core";
import type { HeldSubscription, RunEvent, RunService, RunView } from "@troupe/core/runs";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { TaskRun } from "../tasks/task-runs.ts";
import { dialectOfVersion } from "../wire/parse-call.ts";
import { PushPost } from "./push-post.ts";
import { PushSender } from "./push-sender.ts";

const owner = { userId: "ada", tenantId: "north" };
const settings = {
  allowPrivateHosts: [],
  timeoutMs: 1000,
  maxAttempts: 1,
  retryMs: 1000,
  maxPerTask: 7,
  concurrency: 10,
};
const view: RunView = {
  runId: "r1",
  sessionId: "s1",
  kind: "agent",
  name: "a",
  status: "waiting",
  createdAt: 1,
  attempts: 1,
  waits: [{ id: "w1", kind: "input", about: null }],
};
const asked: RunEvent = { id: "1.0", type: "wait", wait: { id: "w1", kind: "input", about: null } };
const configOf = (id: string) => ({ id, url: "https://hooks.example/" });

/** A service whose runs go on until the test is over: what it was asked, and the runs that are read. */
function fakeService() {
  const calls: unknown[] = [];
  const reading: string[] = [];
  const looks: string[] = [];
  const closed = new AbortController();
  const events: Record<string, RunEvent[]> = {};
  const subscriptions = {
    closed: closed.signal,
    put: vi.fn<(...given: unknown[]) => Promise<unknown>>(async (runId, ...rest) => {
      calls.push(["put", runId, ...rest]);
      const [, { id, data }] = rest as [object, { id: string; data: object }];
      return await Promise.resolve(held(String(runId), id, data));
    }),
    delete: vi.fn<(...given: unknown[]) => Promise<void>>(async (...given) => {
      await Promise.resolve(calls.push(["delete", ...given]));
    }),
    list: async (...given: unknown[]) => {
      calls.push(["list", ...given]);
      return await Promise.resolve(["b", "a"].map((id) => ({ data: { version: "1.0", config: configOf(id) } })));
    },
    release: vi.fn<() => Promise<void>>(
      async () => await Promise.resolve(void calls.push(["release", reading.length])),
    ),
    takeUp: vi.fn<() => AsyncIterable<HeldSubscription>>(async function* takeUp() {
      yield* [];
    }),
  };
  const held = (runId: string, id: string, data: object = { version: "1.0", config: configOf(id) }) => {
    const place = { sent: 0, attempt: 1 };
    const same = async () => await Promise.resolve(true);
    return { subscription: { runId, id, data }, place, advance: same, end: same } as unknown as HeldSubscription;
  };
  const follow = (runId: string) => {
    reading.push(runId);
    let isLeft = false;
    const rest = [...(events[runId] ?? [])];
    const left = Promise.withResolvers<IteratorResult<RunEvent, undefined>>();
    const iterator = {
      next: async () => {
        const value = rest.shift();
        return value === undefined ? await left.promise : { done: false as const, value };
      },
      return: async () => {
        if (!isLeft) reading.splice(reading.indexOf(runId), 1);
        isLeft = true;
        left.resolve({ done: true, value: undefined });
        return await left.promise;
      },
      [Symbol.asyncIterator]: () => iterator,
    };
    return iterator;
  };
  const get = async (runId: string) => {
    looks.push(runId);
    return await Promise.resolve({ ...view, runId });
  };
  const service = { subscriptions, events: follow, get } as unknown as RunService;
  return { service, subscriptions, calls, reading, looks, events, held, close: () => closed.abort() };
}

/** Makes a sender, with timers that the test moves. It is ended with the test. */
function senderOf(durable: RunService | undefined) {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "setImmediate", "setTimeout", "clearTimeout"] });
  const post = vi.spyOn(PushPost.prototype, "send").mockResolvedValue("done");
  const warned: unknown[] = [];
  const logger = createLogger({ level: "silent" });
  logger.warn = (...entry: unknown[]) => void warned.push(entry);
  const sender = new PushSender({ settings, logger, durable, issuer: undefined });
  onTestFinished(() => {
    sender.endAll();
    post.mockRestore();
    vi.useRealTimers();
  });
  return { sender, warned };
}

function taskOf(service: RunService, runId = "r1"): TaskRun {
  return { run: { service, runId }, view: { ...view, runId } } as TaskRun;
}

const newConfig = (id: string, fromStart = true, version: "0.3" | "1.0" = "1.0") => {
  return { config: configOf(id), dialect: dialectOfVersion(version), owner, fromStart };
};

describe("a config of a task", () => {
  it.each(["0.3", "1.0"] as const)("is kept for its owner, with its version %s and the limit", async (version) => {
    const { service, calls, reading } = fakeService();
    const { sender } = senderOf(undefined);
    await sender.set(taskOf(service), newConfig("c", false, version));
    const data = { version, config: configOf("c") };
    expect(calls).toEqual([["put", "r1", owner, { id: "c", data, fromStart: false, most: 7 }]]);
    expect([sender.size, reading]).toEqual([1, ["r1"]]);
  });

  it("is listed in the order of the storage, and removed for its owner", async () => {
    const { service, calls, reading } = fakeService();
    const { sender } = senderOf(undefined);
    expect(await sender.list(taskOf(service), owner)).toEqual([configOf("b"), configOf("a")]);
    await sender.set(taskOf(service), newConfig("c"));
    await sender.delete(taskOf(service), owner, "c");
    await sender.delete(taskOf(service), owner, "c");
    expect(calls.filter((call) => !JSON.stringify(call).includes('"put"'))).toEqual([
      ["list", "r1", owner],
      ["delete", "r1", owner, "c"],
      ["delete", "r1", owner, "c"],
    ]);
    expect([sender.size, reading]).toEqual([0, []]);
  });

  it("takes the place of the one with its id, and of no other", async () => {
    const { service, reading, subscriptions } = fakeService();
    const { sender } = senderOf(undefined);
    for (const [runId, id] of [
      ["r1", "c"],
      ["r1", "c"],
      ["r1", "d"],
      ["r2", "c"],
    ] as const)
      await sender.set(taskOf(service, runId), newConfig(id));
    expect([sender.size, reading.toSorted()]).toEqual([3, ["r1", "r1", "r2"]]);
    // A task that is over is not notified of.
    subscriptions.put.mockResolvedValueOnce(undefined);
    await sender.set(taskOf(service), newConfig("c"));
    expect([sender.size, reading.toSorted()]).toEqual([2, ["r1", "r2"]]);
  });

  it("goes on where its removal fails, and the next change is made all the same", async () => {
    const { service, subscriptions, reading } = fakeService();
    const { sender } = senderOf(undefined);
    await sender.set(taskOf(service), newConfig("c"));
    const away = new TroupeError("storage_unavailable", "Away.");
    subscriptions.delete.mockRejectedValueOnce(away);
    const removals = [1, 2].map(async () => await sender.delete(taskOf(service), owner, "c").catch((error) => error));
    expect([sender.size, reading]).toEqual([1, ["r1"]]);
    expect(await Promise.all(removals)).toEqual([away, undefined]);
    expect([sender.size, reading]).toEqual([0, []]);
  });

  it.each([
    ["beyond the limit is refused as a wrong parameter", "conflict", { kind: "invalid-params", message: "Why." }],
    ["fails as its storage does", "storage_unavailable", { code: "storage_unavailable", message: "Why." }],
  ] as const)("%s", async (_what, code, error) => {
    const { service, subscriptions } = fakeService();
    const { sender } = senderOf(undefined);
    subscriptions.put.mockRejectedValueOnce(new TroupeError(code, "Why."));
    await expect(sender.set(taskOf(service), newConfig("c"))).rejects.toMatchObject(error);
    expect(sender.size).toBe(0);
  });
});

describe("a task that waits for its client", () => {
  it("has deliveries that do not count, and go on when that task is woken", async () => {
    const { service, events, looks } = fakeService();
    const { sender } = senderOf(undefined);
    for (const runId of ["r1", "r10"]) {
      events[runId] = [asked];
      await sender.set(taskOf(service, runId), newConfig("c"));
    }
    await vi.advanceTimersByTimeAsync(0);
    expect(sender.size).toBe(0);
    const count = looks.length;
    sender.wake("r1");
    await vi.advanceTimersByTimeAsync(0);
    expect(looks.slice(count)).toEqual(["r1"]);
  });
});

describe("deliveries that other processes have left", () => {
  it("are taken up at once, and every ten seconds, one look at a time", async () => {
    const { service, subscriptions, held, reading } = fakeService();
    const gate = Promise.withResolvers<void>();
    subscriptions.takeUp.mockImplementationOnce(async function* takeUp() {
      yield held("r1", "c");
      await gate.promise;
      yield held("r2", "c", { version: "0.3", config: configOf("c") });
    });
    const { sender } = senderOf(service);
    expect(subscriptions.takeUp).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(0);
    expect([sender.size, reading]).toEqual([1, ["r1"]]);
    await vi.advanceTimersByTimeAsync(30_000);
    expect(subscriptions.takeUp).toHaveBeenCalledTimes(1);
    gate.resolve();
    await vi.advanceTimersByTimeAsync(9999);
    expect([sender.size, subscriptions.takeUp.mock.calls.length]).toEqual([2, 1]);
    await vi.advanceTimersByTimeAsync(1);
    expect(subscriptions.takeUp).toHaveBeenCalledTimes(2);
  });

  it("are looked for again after a failure, which is logged, until the host closes its service", async () => {
    const { service, subscriptions } = fakeService();
    const errors = [new TroupeError("storage_unavailable", "Away."), new TroupeError("unavailable", "Closed.")];
    for (const error of errors)
      subscriptions.takeUp.mockImplementationOnce(async function* takeUp() {
        yield* [];
        throw error;
      });
    const { warned } = senderOf(service);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(subscriptions.takeUp).toHaveBeenCalledTimes(2);
    const message = "Push notifications of other processes could not be taken up. That is tried again.";
    expect(warned).toEqual([[message, { error: errors[0] }]]);
  });

  it("are not looked for without a service of the host, nor in a shutdown", async () => {
    const { service, subscriptions, held, reading } = fakeService();
    senderOf(undefined);
    expect(vi.getTimerCount()).toBe(0);
    subscriptions.takeUp.mockImplementation(async function* takeUp() {
      yield held("r1", "c");
    });
    const { sender } = senderOf(service);
    await sender.drain();
    await vi.advanceTimersByTimeAsync(60_000);
    expect([subscriptions.takeUp.mock.calls.length, reading]).toEqual([0, []]);
  });
});

describe("a shutdown", () => {
  it("waits for the tasks of this process alone, and then hands back those that outlive it", async () => {
    const [own, durable] = [fakeService(), fakeService()];
    const { sender } = senderOf(durable.service);
    own.events["r1"] = [asked];
    await sender.set(taskOf(own.service, "r1"), newConfig("c"));
    await sender.set(taskOf(durable.service, "r2"), newConfig("c"));
    let isFlushed = false;
    void sender.flush().then(() => (isFlushed = true));
    await vi.advanceTimersByTimeAsync(0);
    expect([isFlushed, own.reading, durable.reading, sender.size]).toEqual([true, [], ["r2"], 1]);
    expect(durable.calls.at(-1)).not.toContain("release");

    durable.subscriptions.release.mockRejectedValueOnce(new Error("Away."));
    await sender.drain();
    expect([sender.size, durable.reading]).toEqual([0, []]);
    await sender.drain();
    expect(durable.calls.at(-1)).toEqual(["release", 0]);
    expect(durable.subscriptions.release).toHaveBeenCalledTimes(2);
  });

  it("delivers nothing for a durable task that is set after it began", async () => {
    const { service, calls, reading } = fakeService();
    const { sender } = senderOf(service);
    await sender.drain();
    await sender.set(taskOf(service), newConfig("c"));
    await vi.advanceTimersByTimeAsync(0);
    expect([calls.map((call) => (call as string[])[0]), reading, sender.size]).toEqual([["release", "put"], [], 0]);
  });

  it("ends all deliveries at once", async () => {
    const [own, durable] = [fakeService(), fakeService()];
    const { sender } = senderOf(durable.service);
    await sender.set(taskOf(own.service), newConfig("c"));
    await sender.set(taskOf(durable.service), newConfig("c"));
    sender.endAll();
    await vi.advanceTimersByTimeAsync(60_000);
    expect([own.reading, durable.reading, sender.size]).toEqual([[], [], 0]);
    expect(durable.subscriptions.takeUp).not.toHaveBeenCalled();
  });

  it("a shutdown of one service ends the deliveries of that alone", async () => {
    const [one, other] = [fakeService(), fakeService()];
    const { sender } = senderOf(undefined);
    for (const [index, { service }] of [one, other, one].entries())
      await sender.set(taskOf(service), newConfig(`c-${index}`));
    one.close();
    await vi.advanceTimersByTimeAsync(0);
    expect([one.reading, other.reading, sender.size]).toEqual([[], ["r1"], 1]);
  });
});
