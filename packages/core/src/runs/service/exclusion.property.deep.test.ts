import { letRun } from "@troupe-internal/interleavings";
import { describe, expect, inject, it } from "vitest";
import { checkExclusion } from "../../base/async/test/check-exclusion.ts";
import type { Exclusion } from "../../base/async/test/check-exclusion.ts";
import { LocalEngine } from "../processes/local-engine.ts";
import { Lease } from "../../sessions/lock/lease.ts";
import {
  createLocalQueues,
  createSharedQueues,
  recordQueuesOf,
  sessionQueuesOf,
} from "../../sessions/lock/session-queues.ts";
import type { KeyedQueues } from "../../sessions/lock/session-queues.ts";
import { withRecordLock } from "../../agents/memory/record-lock.ts";
import { withLocalLock } from "../../sessions/session/change-session.ts";
import { SessionStore } from "../../sessions/session/session-store.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { MapStorage } from "../../sessions/storage/test/map-storage.ts";
import { SharedStorage } from "../../sessions/storage/test/shared-storage.ts";
import { CallSlots } from "../../agents/tool/running-calls.ts";

const policy = { onBusy: "enqueue", maxWaiting: 100, waitMs: 60_000 } as const;

type Parts = Pick<Exclusion, "enter" | "checkEmpty"> & Partial<Exclusion>;

function exclusionOf(parts: Parts): Exclusion {
  return { bound: 1, isFair: true, hearsAborts: true, ...parts };
}

/** Holds a lease, and leaves a second time a moment later, when another one has it. */
async function hold(queues: KeyedQueues, signal: AbortSignal, inside: () => Promise<void>): Promise<void> {
  const position = queues.join("key", { ...policy, signal });
  const lease = await position.granted;
  try {
    await inside();
  } finally {
    lease.release();
    await letRun();
    lease.release();
    position.leave();
  }
}

function expectIdle(...all: KeyedQueues[]): void {
  expect(all.map(({ busyKeys }) => busyKeys)).toEqual(all.map(() => 0));
}

function localQueue(): Exclusion {
  const queues = createLocalQueues();
  return exclusionOf({
    enter: async ({ signal }, inside) => await hold(queues, signal, inside),
    checkEmpty: () => expectIdle(queues),
  });
}

/** Processes over one storage, whose calls take some time. */
function processesOver<Process>(count: number, start: (storage: SharedStorage) => Process): Process[] {
  const storage = new InMemoryStorage();
  let calls = 0;
  return Array.from({ length: count }, () => start(new SharedStorage(storage, () => ++calls % 3)));
}

/** A queue across processes, which go by the order in which they reach the storage. */
function sharedQueue(count: number): Exclusion {
  const processes = processesOver(count, (storage) => createSharedQueues(storage));
  return exclusionOf({
    enter: async ({ number, signal }, inside) => {
      const queues = processes[number % count];
      if (queues !== undefined) await hold(queues, signal, inside);
    },
    checkEmpty: () => expectIdle(...processes),
    isFair: count === 1,
  });
}

function sessions(): Exclusion {
  const stores = processesOver(3, (storage) => ({ storage, store: new SessionStore(storage, policy) }));
  return exclusionOf({
    enter: async ({ number, signal }, inside) => {
      const session = await stores[number % 3]?.store.open("s", { signal });
      try {
        await inside();
      } finally {
        session?.release();
      }
    },
    checkEmpty: () => expectIdle(...stores.map(({ storage }) => sessionQueuesOf(storage))),
    isFair: false,
  });
}

function leaseWrites(): Exclusion {
  let left = 0;
  const lease = new Lease({ hadToWait: false, forgetsQueue: false, leave: () => void left++ });
  return exclusionOf({
    enter: async ({ signal }, inside) => await lease.write(inside, signal),
    checkEmpty: () => {
      lease.release();
      expect(left).toBe(1);
    },
    // Of several that wait for one write, any may come next.
    isFair: false,
  });
}

function recordLock(): Exclusion {
  const driver = new MapStorage();
  const place = { namespace: "memory", key: "k" };
  return exclusionOf({
    enter: async ({ signal }, inside) => await withRecordLock({ driver, place, signal }, inside),
    checkEmpty: () => expectIdle(recordQueuesOf(driver)),
  });
}

function sessionRecordLock(): Exclusion {
  const driver = new MapStorage();
  return exclusionOf({
    enter: async (_worker, inside) => await withLocalLock(driver, "k", inside),
    checkEmpty: () => expectIdle(recordQueuesOf(driver)),
    hearsAborts: false,
  });
}

/** Checks that an engine has all its places, and that one that is kept and given back is that of the next run. */
async function expectPlaces(local: LocalEngine, count: number): Promise<void> {
  const places = Array.from({ length: count }, (_, index) => `place ${index}`);
  expect(places.map((place) => local.reserve(place, 10))).toEqual(places.map(() => true));
  await local.submit({ runId: "last", activation: 1 });
  expect(await local.waiting()).toBe(1);
  for (const place of places) local.release(place);
  expect(await local.waiting()).toBe(0);
}

/** An engine whose workers keep a place before they submit their run, and some of which give it back. */
function engine(concurrency: number, reserves = false): Exclusion {
  const work = new Map<string, () => Promise<void>>();
  const local = new LocalEngine();
  const served = local.serve(async ({ runId }) => await work.get(runId)?.(), { concurrency });
  return exclusionOf({
    bound: concurrency,
    enter: async ({ number, signal }, inside) => {
      const done = Promise.withResolvers<void>();
      done.promise.catch(() => undefined);
      let hasBegun = false;
      const leave = () => {
        void local.withdraw(`${number}`).then(() => hasBegun || done.reject(signal.reason));
      };
      work.set(`${number}`, async () => {
        hasBegun = true;
        await inside().finally(done.resolve);
      });
      signal.addEventListener("abort", leave, { once: true });
      const kept = number % 2 === 0 ? `${number}` : `other ${number}`;
      if (reserves && local.reserve(kept, 10)) {
        await letRun();
        if (kept !== `${number}` || signal.aborted) local.release(kept);
        signal.throwIfAborted();
      }
      await local.submit({ runId: `${number}`, activation: 1 });
      await done.promise;
    },
    checkEmpty: async () => {
      expect(await local.waiting()).toBe(0);
      await expectPlaces(local, concurrency);
      await (await served).drain(0);
    },
    // A place that is kept is one of the first.
    isFair: !reserves,
  });
}

function slots(count: number): Exclusion {
  const free = new CallSlots(count, () => false);
  return exclusionOf({
    bound: count,
    enter: async (_worker, inside) => {
      await free.take();
      await inside().finally(() => free.give());
    },
    checkEmpty: () => {
      // All are free, and no more than there are.
      expect(Array.from({ length: count + 1 }, () => free.take() === undefined).filter(Boolean)).toHaveLength(count);
    },
    hearsAborts: false,
  });
}

/** The slots of calls that leave theirs to others while they wait for a person. */
function leftSlots(count: number): Exclusion {
  const free = new CallSlots(count, () => false);
  return exclusionOf({
    ...slots(count),
    enter: async (_worker, inside) => {
      await free.take();
      try {
        await free.leaveFor(async () => await Promise.resolve());
        await inside();
      } finally {
        free.give();
      }
    },
    checkEmpty: () => {
      expect(Array.from({ length: count + 1 }, () => free.take() === undefined).filter(Boolean)).toHaveLength(count);
    },
    isFair: false,
  });
}

const exclusions: [name: string, create: () => Exclusion][] = [
  ["a queue of one process", localQueue],
  ["a queue of one process in a shared storage", () => sharedQueue(1)],
  ["a queue of three processes", () => sharedQueue(3)],
  ["a session of three processes", sessions],
  ["the writes under one lease", leaseWrites],
  ["the lock of a record", recordLock],
  ["the lock of a session's record without compareAndSet", sessionRecordLock],
  ["the engine of one process with one place", () => engine(1)],
  ["the engine of one process with two places", () => engine(2)],
  ["the engine of one process with two places that are kept", () => engine(2, true)],
  ["the slots of tool calls", () => slots(2)],
  ["the slots of tool calls that wait for a person", () => leftSlots(2)],
];

describe.each(exclusions)("%s", (_name, create) => {
  it("lets no more workers in than it may, each in its turn, and is empty when all are gone [lock.exclusion]", async () => {
    await checkExclusion(create, { few: 8, many: 60 }[inject("trials")]);
  });
});
