import { describe, expect, it } from "vitest";
import { InMemoryStorage } from "../storage/in-memory-storage.ts";
import type { StorageDriver } from "../storage/storage-driver.ts";
import { SharedStorage } from "../storage/test/shared-storage.ts";
import { readForks } from "./fork-entries.ts";
import { namespaces, sessionRef } from "./session-keys.ts";
import { SessionStore } from "./session-store.ts";
import { turnNamed, withSession } from "./test/turns.ts";

const owner = { userId: "ada" };
const access = { owner };
const source = sessionRef(owner, "s");

/** Work of one process on a storage. */
type Work = (driver: StorageDriver) => Promise<unknown>;

const fork: Work = async (driver) => await new SessionStore(driver).fork("s", { seq: 2, forkId: "f" }, access);

const readings: [what: string, read: Work][] = [
  ["are read", async (driver) => await readForks(driver, source)],
  ["are read to delete a later turn", async (driver) => await new SessionStore(driver).deleteTurns("s", 3, access)],
  ["are read to delete a shared turn", async (driver) => await new SessionStore(driver).deleteTurns("s", 2, access)],
];

const orders: [order: string, isForkFirst: boolean][] = [
  ["the fork begins", true],
  ["the reader begins", false],
];

describe.each(orders)("a fork that is made while others read the forks, if %s", (_order, isForkFirst) => {
  it.each(readings)("keeps its turns or is not made, while the forks %s", async (_what, read) => {
    const works = isForkFirst ? ([fork, read] as const) : ([read, fork] as const);
    for (const [firstCalls, secondCalls] of await splitsOf(works)) {
      const storage = await seeded();
      const [first, second] = [new Paused(storage, works[0], firstCalls), new Paused(storage, works[1], secondCalls)];
      // Each of the two processes does a part of its work, and then the rest.
      for (const paused of [first, second]) await paused.reached();
      for (const paused of [first, second]) await paused.end();
      const { isDone } = isForkFirst ? first : second;
      await expectKept(storage, isDone ? ["a", "b"] : undefined, `after ${firstCalls} and ${secondCalls} calls`);
    }
  });
});

/** Expects that the fork has these turns, before and after the deletion of its source, and leaves nothing behind. */
async function expectKept(storage: StorageDriver, names: string[] | undefined, when: string): Promise<void> {
  const store = new SessionStore(storage);
  expect(await namesIn(store, "f"), when).toEqual(names);
  await store.deleteSession("s", access);
  expect(await namesIn(store, "f"), when).toEqual(names);
  if (names !== undefined) await store.deleteSession("f", access);
  for (const namespace of [namespaces.sessions, namespaces.turns, namespaces.forks]) {
    expect([namespace, await storage.list(namespace)], when).toEqual([namespace, []]);
  }
}

/** Returns the numbers of calls of the storage after which two works may be paused. */
async function splitsOf(works: readonly Work[]): Promise<[number, number][]> {
  const counts: number[] = [];
  for (const work of works) {
    const paused = new Paused(await seeded(), work, Infinity);
    await paused.reached();
    counts.push(paused.calls);
  }
  const [first = 0, second = 0] = counts;
  const upTo = (count: number) => Array.from({ length: count + 1 }, (_, calls) => calls);
  return upTo(first).flatMap((one) => upTo(second).map((other): [number, number] => [one, other]));
}

/** Work of one process that is held before a call of the storage, after a number of calls. */
class Paused {
  calls = 0;
  isDone = false;
  readonly #over: Promise<void>;
  readonly #held = Promise.withResolvers<void>();
  readonly #resumed = Promise.withResolvers<void>();
  readonly #after: number;

  constructor(storage: StorageDriver, work: Work, after: number) {
    this.#after = after;
    this.#over = this.#perform(work, this.#driverOf(storage));
  }

  /** Resolves when the work is held or over. */
  async reached(): Promise<void> {
    await Promise.race([this.#held.promise, this.#over]);
  }

  /** Lets the work go on to its end. */
  async end(): Promise<void> {
    this.#resumed.resolve();
    await this.#over;
  }

  async #perform(work: Work, driver: StorageDriver): Promise<void> {
    await work(driver).then(
      () => (this.isDone = true),
      () => undefined,
    );
  }

  #driverOf(storage: StorageDriver): StorageDriver {
    return new Proxy(storage, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name, target);
        if (typeof member !== "function") return member;
        if (name === "watch") return member.bind(target) as unknown;
        return async (...args: unknown[]) => {
          await this.#call();
          return (await Reflect.apply(member, target, args)) as unknown;
        };
      },
    });
  }

  async #call(): Promise<void> {
    if (this.calls === this.#after) {
      this.#held.resolve();
      await this.#resumed.promise;
    }
    this.calls += 1;
  }
}

/** Makes a storage with a session `s` of three turns. */
async function seeded(): Promise<StorageDriver> {
  const storage = new SharedStorage(new InMemoryStorage());
  const store = new SessionStore(storage);
  for (const name of ["a", "b", "c"]) {
    await withSession(store, (session) => session.appendTurn(turnNamed(name)), { sessionId: "s", owner });
  }
  return storage;
}

/** Returns the names of a session's turns; undefined if there is no such session. */
async function namesIn(store: SessionStore, sessionId: string): Promise<string[] | undefined> {
  if (!(await store.has(sessionId, access))) return undefined;
  const { turns } = await store.readTurns(sessionId, access);
  return turns.map(({ runId }) => runId);
}
