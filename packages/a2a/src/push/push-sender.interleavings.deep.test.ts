import { createLogger } from "@troupe/core";
import type { HeldSubscription, RunEvent, RunService, RunView } from "@troupe/core/runs";
import { checkInterleavings } from "@troupe-internal/interleavings";
import type { HeldCalls, Scene } from "@troupe-internal/interleavings";
import { expect, it } from "vitest";
import type { TaskRun } from "../tasks/task-runs.ts";
import { dialectOfVersion } from "../wire/parse-call.ts";
import { PushSender } from "./push-sender.ts";

it("the config of a task that was stored last is delivered for, and no other, whichever change of it is answered first [async.interleavings]", async () => {
  await checkInterleavings(changeConfigs, { seed: 38_301, numRuns: 100, quietMs: 1000 });
});

const settings = {
  allowPrivateHosts: [],
  timeoutMs: 1000,
  maxAttempts: 1,
  retryMs: 1000,
  maxPerTask: 10,
  concurrency: 10,
};
const run = { runId: "r1", sessionId: "s1", kind: "agent", name: "a", status: "running" } as RunView;
const ids = ["1", "2"];

function changeConfigs(held: HeldCalls): Scene {
  const { service, stored, delivering, counts } = fakeService(held);
  const logger = createLogger({ level: "error", write: () => undefined });
  const sender = new PushSender({ settings, logger, durable: service, issuer: undefined });
  const task = { run: { service, runId: run.runId }, view: run } as TaskRun;
  let asked = 0;
  let isUnderWay = 0;
  let isEnding = false;
  const change = async (work: () => Promise<void>): Promise<void> => {
    asked += 1;
    isUnderWay += 1;
    await work().finally(() => (isUnderWay -= 1));
  };
  const set = async (id: string): Promise<void> => {
    const config = { id, url: "https://receiver.example/" };
    const dialect = dialectOfVersion("1.0");
    await change(async () => await sender.set(task, { config, dialect, owner: {}, fromStart: true }));
  };
  const check = (): void => {
    for (const id of ids) {
      const served = [...delivering].filter((subscription) => subscription.id === id);
      expect(served, `the deliveries for the config ${id}`).toEqual(stored.has(id) ? [stored.get(id)] : []);
    }
  };
  return {
    operations: {
      "set 1": async () => await set("1"),
      "set 1 again": async () => await set("1"),
      "set 2": async () => await set("2"),
      "delete 1": async () => await change(async () => await sender.delete(task, {}, "1")),
    },
    always: () => (isUnderWay === 0 && !isEnding ? check() : undefined),
    end: async () => {
      isEnding = true;
      await sender.drain();
    },
    afterwards: () => {
      expect(counts.calls, "changes that reach the storage").toBe(asked);
      expect(sender.size).toBe(0);
      expect([...delivering]).toEqual([]);
    },
  };
}

type Stored = { readonly id: string; readonly version: number };

/** A service with one run that goes on, whose subscriptions are written, and then answered, when the plan says so. */
function fakeService(held: HeldCalls) {
  const stored = new Map<string, Stored>();
  const delivering = new Set<Stored>();
  const counts = { calls: 0 };
  let versions = 0;
  const subscriptions = {
    closed: new AbortController().signal,
    async put(_runId: string, _owner: object, { id, data }: { id: string; data: object }) {
      counts.calls += 1;
      const subscription = { id, version: (versions += 1) };
      await held.hold(`write ${id}`, () => stored.set(id, subscription));
      // What is written is answered: a lost answer would leave it to the next process.
      await held.hold(`answer ${id}`, () => undefined, { canFail: false });
      // The place tells the events which subscription they are for.
      const place = { after: subscription, sent: 0, attempt: 0 };
      return { subscription: { runId: "r1", id, data }, place } as unknown as HeldSubscription;
    },
    async delete(_runId: string, _owner: object, id: string) {
      counts.calls += 1;
      await held.hold(`remove ${id}`, () => stored.delete(id));
      await held.hold(`answer ${id}`, () => undefined, { canFail: false });
    },
    takeUp: async function* takeUp() {
      // No process has died.
    },
    release: async () => undefined,
  };
  const events = (_runId: string, _owner: string, after: unknown) => {
    const own = after as Stored;
    const left = Promise.withResolvers<IteratorResult<RunEvent, undefined>>();
    delivering.add(own);
    const leave = async (): Promise<IteratorResult<RunEvent, undefined>> => {
      delivering.delete(own);
      left.resolve({ done: true, value: undefined });
      return await left.promise;
    };
    const next = async (): Promise<IteratorResult<RunEvent, undefined>> => await left.promise;
    const iterator = { next, return: leave, [Symbol.asyncIterator]: () => iterator };
    return iterator;
  };
  return {
    service: { subscriptions, events, get: async () => run } as unknown as RunService,
    stored,
    delivering,
    counts,
  };
}
