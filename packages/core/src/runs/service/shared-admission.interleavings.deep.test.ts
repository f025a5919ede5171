import { checkInterleavings } from "@troupe-internal/interleavings";
import type { HeldCalls, Scene } from "@troupe-internal/interleavings";
import { expect, it, vi } from "vitest";
import type { RunEngine } from "../processes/run-engine.ts";
import type { RunRecord, RunStorage } from "../record/run-record.ts";
import { RunStore } from "../record/run-store.ts";
import { countedCaller } from "../../sessions/session/counted-caller.ts";
import type { CountedCaller } from "../../sessions/session/counted-caller.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import type { StorageEntry } from "../../sessions/storage/storage-driver.ts";
import { RemoteStorage } from "../../sessions/storage/test/remote-storage.ts";
import { SharedAdmission } from "../processes/shared-admission.ts";

it("after quiet each caller may begin as many runs as have ended or were not stored, and each loss of the queue is told once, in any order [async.interleavings]", async () => {
  await checkInterleavings(acceptRuns, { seed: 38_505, numRuns: 40, maxSteps: 40, stepMs: 400, quietMs: 2000 });
});

const limits = { maxQueued: 40, perCaller: 3, maxAnonymousBytes: 10_000 };
/** Runs that are listed as open and are not: as many as a list has beside those that may be open. */
const mostEnded = 3;
/** Beside users: a tenth. */
const mostAnonymous = 4;
const ada = countedCaller({ userId: "ada" });
const addresses = [countedCaller({}, "10.0.0.1"), countedCaller({}, "10.0.0.2")];

/** The world of one process: a storage and a queue that others use too. */
class World {
  readonly admission: SharedAdmission;
  readonly open: RunRecord[] = [];
  losses = 0;
  isFull = false;
  isHolding = true;
  isQueueLost = false;
  isListLost = false;
  readonly #held: HeldCalls;
  readonly #store: RunStore;
  #runs = 0;
  #ended = 0;
  /** The answers of the queue since the last loss that was told. */
  #answers = 1;

  constructor(held: HeldCalls) {
    this.#held = held;
    const storage = new InMemoryStorage();
    this.#store = new RunStore(storage, Date.now, true);
    const list: InMemoryStorage["list"] = async (...args) =>
      await this.#hold("a list", () => this.#list(storage, args));
    const { driver } = new RemoteStorage({ list }, storage);
    const store = new RunStore(driver as RunStorage, Date.now, true);
    const waiting = async (): Promise<number> => await this.#hold("the queue", () => this.#answer());
    const engine = { waiting } as unknown as RunEngine;
    this.admission = new SharedAdmission({ limits, store, engine, onError: () => this.#noteLoss() });
  }

  async #hold<Value>(name: string, work: () => Value | Promise<Value>): Promise<Value> {
    return this.isHolding ? await this.#held.hold(name, async () => await work()) : await work();
  }

  async #list(storage: InMemoryStorage, args: Parameters<InMemoryStorage["list"]>): Promise<StorageEntry[]> {
    if (this.isListLost) throw new Error("The storage is lost.");
    return await storage.list(...args);
  }

  #answer(): number {
    if (this.isQueueLost) throw new Error("The queue is lost.");
    this.#answers += 1;
    return this.isFull ? 100 : 0;
  }

  #noteLoss(): void {
    this.#held.check(this.#answers > 0, "a loss is told twice");
    this.#answers = 0;
    this.losses += 1;
  }

  /** Accepts a run. `isStored`: false for one whose storing fails. */
  async accept(caller: CountedCaller, isStored = true): Promise<void> {
    const isAnonymous = caller.kind === "anonymous";
    await this.admission.check(caller, isAnonymous ? 100 : 0);
    if (!isStored) throw new Error("The run is not stored.");
    const record = recordOf(`r${(this.#runs += 1)}`, caller);
    this.open.push(record);
    await this.#store.insert(record);
  }

  /** Lists a run of Ada that is over as one that is open: its process died between the two. */
  async listEnded(): Promise<void> {
    if (this.#ended < mostEnded)
      await this.#store.insert({ ...recordOf(`e${(this.#ended += 1)}`, ada), status: "completed" });
  }

  async end(record: RunRecord | undefined): Promise<void> {
    if (record === undefined) return;
    this.open.splice(this.open.indexOf(record), 1);
    await this.#store.finish(record.runId, { status: "completed" });
    await this.#store.flush();
  }

  openOf(caller: CountedCaller): RunRecord[] {
    return this.open.filter(({ owner, anonymous }) =>
      caller.kind === "user" ? owner.userId !== undefined : anonymous !== undefined,
    );
  }

  /** Accepts runs until one is refused. Returns the number of open ones then. */
  async fill(...callers: readonly CountedCaller[]): Promise<number> {
    const [caller = ada] = callers;
    for (let refused = 0, index = 0; refused < callers.length && index < limits.maxQueued; index++) {
      const isRefused = await this.accept(callers[index % callers.length] ?? ada).then(
        () => false,
        () => true,
      );
      refused = isRefused ? refused + 1 : 0;
    }
    return this.openOf(caller).length;
  }
}

function recordOf(runId: string, { kind, key }: CountedCaller): RunRecord {
  const own = kind === "user" ? { owner: { userId: "ada" } } : { owner: {}, anonymous: key, inputBytes: 100 };
  const of = { v: 1, runId, kind: "agent", name: "a", sessionId: runId, options: {}, plan: { tools: {} } } as const;
  const state = { status: "queued", createdAt: Date.now(), priority: 1, activation: 1, attempts: 0 } as const;
  return { ...of, ...own, ...state };
}

async function acceptRuns(held: HeldCalls): Promise<Scene> {
  const world = new World(held);
  const [one, other] = addresses as [CountedCaller, CountedCaller];
  // From the first user on, callers without one have a tenth.
  world.isHolding = false;
  await world.admission.check(ada);
  world.isHolding = true;
  const rest = async (): Promise<unknown> => await vi.advanceTimersByTimeAsync(1001);
  const check = async (caller: CountedCaller): Promise<void> =>
    await world.admission.check(caller).then(
      () => undefined,
      () => undefined,
    );
  return {
    operations: {
      "Ada's run": async () => await world.accept(ada),
      "a run of an address": async () => await world.accept(one),
      "a run of another": async () => await world.accept(other),
      "a run of Ada that is not stored": async () => await world.accept(ada, false),
      "a run of an address that is not stored": async () => await world.accept(one, false),
      "the first run ends": async () => await world.end(world.open[0]),
      "the last run ends": async () => await world.end(world.open.at(-1)),
      "a run of Ada that is over is listed": async () => await world.listEnded(),
      "the queue fills, or empties": () => (world.isFull = !world.isFull),
      "the queue is lost, or back": () => (world.isQueueLost = !world.isQueueLost),
    },
    end: () => {
      world.isFull = world.isQueueLost = false;
    },
    again: async () => await world.end(world.open[0]),
    afterwards: async () => {
      world.isHolding = false;
      await rest();
      const before = { ada: world.openOf(ada).length, anonymous: world.openOf(one).length };
      expect(await world.fill(ada)).toBe(Math.max(before.ada, limits.perCaller));
      expect(await world.fill(one, other)).toBe(Math.max(before.anonymous, mostAnonymous));
      // What was accepted counts once: as a place, and then by its entry on the list.
      await rest();
      expect(await world.fill(one, other)).toBe(Math.max(before.anonymous, mostAnonymous));
      for (const record of world.open.slice()) await world.end(record);
      await rest();
      expect([await world.fill(ada), await world.fill(one, other)]).toEqual([limits.perCaller, mostAnonymous]);
      for (const record of world.open.slice()) await world.end(record);
      await rest();
      world.isListLost = true;
      await expect(world.accept(one)).rejects.toThrow("lost");
      world.isListLost = false;
      await world.accept(one);
      await checkLosses(world, check, rest);
    },
  };
}

/** Each loss of the queue is told, the first failure of it alone. */
async function checkLosses(
  world: World,
  check: (caller: CountedCaller) => Promise<void>,
  rest: () => Promise<unknown>,
): Promise<void> {
  for (const record of world.openOf(ada)) await world.end(record);
  const told: number[] = [];
  for (const isQueueLost of [false, true, true, false, true, true]) {
    world.isQueueLost = isQueueLost;
    await rest();
    const before = world.losses;
    await check(ada);
    told.push(world.losses - before);
  }
  expect(told).toEqual([0, 1, 0, 0, 1, 0]);
}
