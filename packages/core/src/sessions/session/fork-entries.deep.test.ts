import { describe, expect, inject, it } from "vitest";
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

/** Checks what two works have left in a storage. */
type Check = (storage: StorageDriver, done: readonly [Paused, Paused], when: string) => Promise<void>;

const fork: Work = async (driver) => await new SessionStore(driver).fork("s", { seq: 2, forkId: "f" }, access);

const readings: [what: string, read: Work][] = [
  ["are read", async (driver) => await readForks(driver, source)],
  ["are read to delete a later turn", async (driver) => await new SessionStore(driver).deleteTurns("s", 3, access)],
  ["are read to delete a shared turn", async (driver) => await new SessionStore(driver).deleteTurns("s", 2, access)],
  ["are read to delete the session", async (driver) => await new SessionStore(driver).deleteSession("s", access)],
];

const orders: [order: string, isForkFirst: boolean][] = [
  ["the fork begins", true],
  ["the reader begins", false],
];

describe.each(orders)("a fork that is made while others read the forks, if %s", (_order, isForkFirst) => {
  it.each(readings)("keeps its turns or is not made, while the forks %s", async (_what, read) => {
    const works = isForkFirst ? ([fork, read] as const) : ([read, fork] as const);
    const check: Check = async (storage, [first, second], when) => {
      const { isDone } = isForkFirst ? first : second;
      await expectKept(storage, isDone ? ["a", "b"] : undefined, when);
    };
    await atEachSplit(seeded, works, { oneIn: { few: 5, many: 1 }[inject("trials")], check });
  });
});

/** The share of the splits that is tried for forks of forks, whose works have many calls. */
const share = { few: 31, many: 1 }[inject("trials")];

const removal =
  (id: string): Work =>
  async (driver) =>
    await new SessionStore(driver).deleteSession(id, access);

const forkOf =
  (id: string, seq: number, forkId: string): Work =>
  async (driver) =>
    await new SessionStore(driver).fork(id, { seq, forkId }, access);

const turnIn =
  (sessionId: string, name: string): Work =>
  async (driver) =>
    await withSession(new SessionStore(driver), (session) => session.appendTurn(turnNamed(name)), { sessionId, owner });

/** Works of two processes, the forks before, and the fork that keeps its turns, if the second work is done or is none. */
const scenes: [what: string, scene: { before: Work[]; works: [Work, Work]; kept: string }][] = [
  [
    "its source, the last fork of a deleted session, is deleted",
    { before: [forkOf("s", 2, "f"), removal("s")], works: [removal("f"), forkOf("f", 1, "g")], kept: "g" },
  ],
  [
    "its source and another fork of the source are deleted",
    { before: [forkOf("s", 2, "f"), forkOf("s", 1, "g")], works: [removal("s"), removal("f")], kept: "g" },
  ],
  [
    "its source and the source of that are deleted",
    {
      before: [forkOf("s", 2, "f"), turnIn("f", "x"), forkOf("f", 3, "g")],
      works: [removal("s"), removal("f")],
      kept: "g",
    },
  ],
  [
    "its source is deleted, and so is a fork of the session that its source was made from",
    {
      before: [forkOf("s", 3, "f"), forkOf("s", 2, "h"), removal("s"), forkOf("f", 1, "g")],
      works: [removal("f"), removal("h")],
      kept: "g",
    },
  ],
];

describe.each([false, true])("a fork of a fork, if the works change places: %j", (isSwapped) => {
  it.each(scenes)("keeps its turns or is not made, while %s", async (_what, { before, works: [one, other], kept }) => {
    const create = async (): Promise<StorageDriver> => {
      const storage = await seeded();
      for (const work of before) await work(storage);
      return storage;
    };
    const works = isSwapped ? ([other, one] as const) : ([one, other] as const);
    const check: Check = async (storage, done, when) => {
      const store = new SessionStore(storage);
      const maker = isSwapped ? done[0] : done[1];
      const names = (await namesIn(store, kept)) ?? [];
      const isMade = (await store.has(kept, access)) || maker.isDone;
      expect(isMade ? ["a", "ab", "abx"] : [""], when).toContain(names.join(""));
      // A deletion that met another one may have to be repeated.
      for (const id of ["s", "f", "h", kept]) await deleteIfThere(store, id);
      await expectNothingLeft(storage, when);
    };
    await atEachSplit(create, works, { oneIn: share, check });
  });
});

/** Expects that the fork has these turns, before and after the deletion of its source, and leaves nothing behind. */
async function expectKept(storage: StorageDriver, names: string[] | undefined, when: string): Promise<void> {
  const store = new SessionStore(storage);
  expect(await namesIn(store, "f"), when).toEqual(names);
  if (await store.has("s", access)) await store.deleteSession("s", access);
  expect(await namesIn(store, "f"), when).toEqual(names);
  if (names !== undefined) await store.deleteSession("f", access);
  await expectNothingLeft(storage, when);
}

async function deleteIfThere(store: SessionStore, id: string): Promise<void> {
  const outcome = await store.deleteSession(id, access).catch((error: unknown) => error);
  expect([undefined, "not_found"]).toContain((outcome as { code?: string } | undefined)?.code);
}

async function expectNothingLeft(storage: StorageDriver, when: string): Promise<void> {
  for (const namespace of [namespaces.sessions, namespaces.turns, namespaces.forks]) {
    expect([namespace, await storage.list(namespace)], when).toEqual([namespace, []]);
  }
}

/**
 * Lets two processes each do a part of their work, and then the rest, for all such parts. Then checks what is left.
 */
async function atEachSplit(
  create: () => Promise<StorageDriver>,
  works: readonly [Work, Work],
  { oneIn, check }: { oneIn: number; check: Check },
): Promise<void> {
  const splits = await splitsOf(create, works);
  for (const [firstCalls, secondCalls] of splits.filter((_, index) => index % oneIn === 0)) {
    const storage = await create();
    const both = [new Paused(storage, works[0], firstCalls), new Paused(storage, works[1], secondCalls)] as const;
    for (const paused of both) await paused.reached();
    for (const paused of both) await paused.end();
    await check(storage, both, `after ${firstCalls} and ${secondCalls} calls`);
  }
}

/** Returns the numbers of calls of the storage after which two works may be paused. */
async function splitsOf(create: () => Promise<StorageDriver>, works: readonly Work[]): Promise<[number, number][]> {
  const counts: number[] = [];
  for (const work of works) {
    const paused = new Paused(await create(), work, Infinity);
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
