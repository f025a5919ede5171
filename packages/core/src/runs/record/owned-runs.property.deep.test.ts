import * as fc from "fast-check";
import { describe, expect, inject, it } from "vitest";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { RemoteStorage } from "../../sessions/storage/test/remote-storage.ts";
import { isEnded } from "./run-record.ts";
import type { EndStatus, RunRecord, RunStorage } from "./run-record.ts";
import { RunStore } from "./run-store.ts";
import { idsOf, newRecord } from "./test/run-records.ts";

const statuses = [undefined, "queued", "running", "waiting", "completed", "error", "cancelled"] as const;
const users = ["ada", "bob"];

const share = { few: 1, many: 10 }[inject("trials")];

type Context = { store: RunStore; runId: string; now: number; record: RunRecord; end: EndStatus };

/** Acts on the storage. */
const acts = {
  accept: async ({ store, record }: Context) => await store.insert(record),
  acceptTwice: async ({ store, record, now }: Context) => {
    const again = { ...record, createdAt: now + 1, sessionId: "other", owner: { userId: "bob" } };
    await Promise.all([store.insert(record), store.insert(again)]);
  },
  flush: async ({ store }: Context) => await store.flush(),
  age: async ({ store, now }: Context) => await store.lists.removeOld(now - 2, now - 4),
  expire: async ({ store }: Context) => {
    for await (const page of store.lists.listExpired()) for (const record of page) await remove(store, record);
  },
  /** Takes up each open run, as the sweep of a process that performs runs does. */
  sweep: async ({ store }: Context) => {
    for await (const page of store.openRuns.list(() => {})) {
      for (const { runId } of page) {
        const record = await store.read(runId);
        if (record === null) await store.lists.closeOrphan(runId);
        else if (isEnded(record.status)) await store.settle(record);
      }
    }
  },
  remove: async ({ store, runId }: Context) => {
    const stored = await store.read(runId);
    if (stored !== null) await remove(store, stored);
  },
  begin: async ({ store, runId }: Context) => {
    const change = (each: RunRecord): RunRecord => ({ ...each, status: "running", attempts: 1 });
    await store.change(runId, (each) => (isEnded(each.status) ? null : change(each)));
  },
  suspend: async ({ store, runId }: Context) => {
    const waiting = await store.suspend({ runId, attempts: 1 }, [{ id: "w", kind: "approval", about: null }]);
    if (waiting !== null) await store.openRuns.removeWaiting(waiting, await store.openRuns.read(runId), undefined);
  },
  wake: async ({ store, runId }: Context) => await store.wake(runId),
  finish: async ({ store, runId, end }: Context) => await store.finish(runId, { status: end }),
  cancel: async ({ store, runId }: Context) => {
    const stored = await store.read(runId);
    if (stored !== null && !isEnded(stored.status)) await cancel(store, stored);
  },
};

/** Cancels an open run. The service puts it on the list of open ones before it ends what no attempt is at. */
async function cancel(store: RunStore, record: RunRecord): Promise<void> {
  await store.openRuns.add(record);
  await store.finish(record.runId, { status: "cancelled" });
}

/** Removes a run, as the service does: one that is open is cancelled first. */
async function remove(store: RunStore, record: RunRecord): Promise<void> {
  if (!isEnded(record.status)) await cancel(store, record);
  const ended = await store.read(record.runId);
  if (ended !== null) await store.lists.remove(ended);
}

type Act = keyof typeof acts;
const frequent: readonly Act[] = ["accept", "finish", "flush"];

/** One act of one process. A death comes with its n-th call of the storage, which is done or not. */
const step = fc.record({
  act: fc.constantFrom(...(Object.keys(acts) as Act[]), ...frequent),
  process: fc.nat({ max: 1 }),
  run: fc.nat({ max: 3 }),
  user: fc.nat({ max: 1 }),
  end: fc.constantFrom<EndStatus>("completed", "error"),
  laterMs: fc.nat({ max: 2 }),
  death: fc.option(fc.record({ atCall: fc.integer({ min: 1, max: 6 }), isDone: fc.boolean() }), { freq: 3 }),
  limit: fc.integer({ min: 1, max: 4 }),
});
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

/** A process that stores runs, and may die at any call of its storage: with it go the writes that it has gathered. */
class Process {
  readonly store: RunStore;
  /** Calls that are left, and whether the last one is done. */
  death: { atCall: number; isDone: boolean } | null = null;
  isDead = false;

  constructor(storage: RunStorage, now: () => number) {
    const driver = new Proxy(storage, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name, target);
        if (typeof member !== "function") return member;
        return async (...args: unknown[]): Promise<unknown> => {
          const isLast = this.death?.atCall === 1;
          if (this.isDead || (isLast && this.death?.isDone === false)) this.#die();
          if (this.death !== null) this.death.atCall -= 1;
          const answer: unknown = await Reflect.apply(member, target, args);
          return isLast ? this.#die() : answer;
        };
      },
    });
    this.store = new RunStore(driver, now, true);
  }

  #die(): never {
    this.isDead = true;
    throw new Error("The process has died.");
  }
}

/** Processes over one storage, and the clock of all of them. */
class World {
  readonly inner = new InMemoryStorage();
  readonly reader: RunStore;
  readonly #storage: RunStorage;
  readonly #processes: Process[];
  /** By id, the latest time at which a run was accepted: no other one is accepted in the same millisecond. */
  readonly #acceptedAt = new Map<string, number>();
  now = 1000;

  constructor(isBare: boolean) {
    const members = isBare ? { transaction: undefined, insertAll: undefined, listMany: undefined } : {};
    this.#storage = new RemoteStorage(members, this.inner).driver as RunStorage;
    this.reader = new RunStore(this.#storage, () => this.now);
    this.#processes = [this.#start(), this.#start()];
  }

  #start(): Process {
    return new Process(this.#storage, () => this.now);
  }

  async take(given: Step): Promise<void> {
    this.now += given.laterMs;
    const process = this.#processes[given.process] ?? this.#start();
    process.death = given.death && { ...given.death };
    await this.#act(process.store, given).catch((error: unknown) => {
      if (!process.isDead) throw error;
    });
    process.death = null;
    if (process.isDead) this.#processes[given.process] = this.#start();
  }

  async #act(store: RunStore, { act, run, user, end }: Step): Promise<void> {
    const runId = `r${run}`;
    if (act.startsWith("accept")) this.#tickAfter(runId);
    const { now } = this;
    const owner = { userId: users[user] ?? "" };
    const record = newRecord({ runId, createdAt: now, owner, ...(run === 0 && { expiresAt: now + 5 }) });
    await acts[act]({ store, runId, now, record, end });
  }

  #tickAfter(runId: string): void {
    this.now = Math.max(this.now, (this.#acceptedAt.get(runId) ?? 0) + 1);
    this.#acceptedAt.set(runId, this.now + 1);
  }

  /** Returns the ids of the runs that the records say there are. */
  async expected(userId: string, status: (typeof statuses)[number]): Promise<string[]> {
    const records = (await this.inner.list("runs")).map(({ value }) => value as unknown as RunRecord);
    return records
      .filter(({ owner }) => owner.userId === userId)
      .filter((record) => (status === undefined || record.status === status) && !this.reader.isExpired(record))
      .toSorted((one, other) => other.createdAt - one.createdAt || (one.runId < other.runId ? -1 : 1))
      .map(({ runId }) => runId);
  }
}

describe.each([
  ["transactions", false],
  ["single writes alone", true],
])("the list of an owner's runs, over storage with %s", (_, isBare) => {
  it("is that of the records, whatever becomes of the runs and their processes [durable.list-crash]", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30, size: "max" }), async (steps) => {
        const world = new World(isBare);
        for (const each of steps) {
          await world.take(each);
          for (const userId of users) {
            for (const status of statuses) {
              const listed = await idsOf(world.reader, { userId }, { status, limit: each.limit });
              expect(listed).toEqual(await world.expected(userId, status));
            }
          }
        }
      }),
      { numRuns: 20 * share },
    );
  });

  it("keeps no entry of what is over, once the processes have stored all they had, and a sweep came [durable.list-crash]", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30, size: "max" }), async (steps) => {
        const world = new World(isBare);
        for (const each of steps) await world.take({ ...each, death: null });
        for (const process of [0, 1]) {
          for (const act of ["flush", "sweep", "flush"] as const) {
            await world.take({ act, process, run: 0, user: 0, end: "error", laterMs: 0, death: null, limit: 1 });
          }
        }
        for (const userId of users) await idsOf(world.reader, { userId });
        const places = (await world.inner.list("run-by", "-/")).map(({ key }) => key.replace(/\/\d+\./, "/"));
        const records = (await world.inner.list("runs")).map(({ value }) => value as unknown as RunRecord);

        const expected = records.map(({ owner, runId, status }) => {
          return `-/${owner.userId}/${isEnded(status) ? status : "open"}/${runId}`;
        });
        expect(places.toSorted()).toEqual(expected.toSorted());
      }),
      { numRuns: 12 * share },
    );
  });
});
