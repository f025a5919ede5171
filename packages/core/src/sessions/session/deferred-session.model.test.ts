import { setImmediate } from "node:timers/promises";
import fc from "fast-check";
import { expect, it } from "vitest";
import { sessionQueuesOf } from "../lock/session-queues.ts";
import { BoundedStorage } from "../storage/bounded-storage.ts";
import { InMemoryStorage } from "../storage/in-memory-storage.ts";
import { toTroupeError } from "../../base/errors/to-troupe-error.ts";
import type { OpenSession } from "./open-session.ts";
import { SessionStore } from "./session-store.ts";
import { turnNamed } from "./test/turns.ts";

const owner = { userId: "ada" };
const access = { owner };

/** Steps of the first runs of two sessions, and calls of others that know their ids. */
const steps = [
  "open",
  "append",
  "release",
  "read",
  "rename",
  "list",
  "second",
  "delete",
  "cut",
  "fork",
  "user",
] as const;
const action = fc.record({ step: fc.constantFrom(...steps), id: fc.constantFrom("s1", "s2") });
// Runs in order, among which the other calls are mixed.
const script = fc.array(action, { minLength: 4, maxLength: 24 });

type Action = { readonly step: (typeof steps)[number]; readonly id: string };

/** A first run of a session: it is opened once, and takes turns until it is released. */
type FirstRun = { session?: OpenSession; isOpened?: true; isOver?: true; turns: number };

/** Plays a script of calls, each after all earlier ones that need not wait, and returns what all of them found. */
async function play(actions: readonly Action[], { isNew, storage }: { isNew: boolean; storage: InMemoryStorage }) {
  const store = new SessionStore(storage);
  const runs = new Map<string, FirstRun>(["s1", "s2"].map((id) => [id, { turns: 0 }]));
  const found: unknown[] = [];
  const deletions = { open: 0 };
  const note = (at: number, work: Promise<unknown>): void => {
    work.then(
      (value) => (found[at] = value),
      (error: unknown) => (found[at] = toTroupeError(error).code),
    );
  };
  const start = (at: number, { step, id }: Action): void =>
    note(at, perform[step]({ store, id, at, run: runs.get(id) ?? { turns: 0 }, isNew, deletions }));
  for (const [at, one] of actions.entries()) {
    start(at, one);
    await setImmediate();
  }
  let at = actions.length;
  for (const id of runs.keys()) {
    start(at++, { step: "release", id });
    await setImmediate();
  }
  const namespaces = ["sessions", "turns", "session-recent", "session-forks", "locks", "memory"];
  const counts = await Promise.all(namespaces.map(async (name) => (await storage.list(name)).length));
  const queues = sessionQueuesOf(storage);
  return { found, counts, listed: await listed(store), busy: queues.busyKeys, deferred: queues.deferred.size };
}

/** The deletions of the user that are going on. They remove the list entries of sessions that begin meanwhile. */
type Deletions = { open: number };

type Place = { store: SessionStore; id: string; at: number; run: FirstRun; isNew: boolean; deletions: Deletions };
type Step = (place: Place) => Promise<unknown>;

const perform: Record<Action["step"], Step> = {
  open: async ({ store, id, run, isNew, deletions }) => {
    if (run.isOpened === true || deletions.open > 0) return undefined;
    run.isOpened = true;
    run.session = await store.open(id, { owner, isNew });
    if (run.isOver === true) run.session.release();
    return await namesIn(run.session);
  },
  append: async ({ id, run }) => await run.session?.appendTurn(turnNamed(`${id}-${run.turns++ % 2}`)),
  release: async ({ run }) => {
    run.isOver = true;
    return run.session?.release();
  },
  read: async ({ store, id }) => (await store.readTurns(id, access)).turns.map(({ runId, seq }) => [runId, seq]),
  rename: async ({ store, id, at }) => (await store.renameSession(id, `Title ${at}`, access)).turns,
  list: async ({ store }) => await listed(store),
  second: async ({ store, id, at }) => await secondRun(store, id, at),
  delete: async ({ store, id }) => await store.deleteSession(id, access),
  cut: async ({ store, id }) => await store.deleteTurns(id, 1, access),
  fork: async ({ store, id, at }) => await store.fork(id, { seq: 1, forkId: `fork-${at}` }, access),
  user: async ({ store, deletions }) => {
    deletions.open += 1;
    await store.deleteUser("ada").finally(() => (deletions.open -= 1));
  },
};

async function secondRun(store: SessionStore, id: string, at: number): Promise<string[]> {
  const session = await store.open(id, access);
  try {
    const before = await namesIn(session);
    await session.appendTurn(turnNamed(`second-${at}`));
    return before;
  } finally {
    session.release();
  }
}

async function namesIn(session: OpenSession): Promise<string[]> {
  return (await session.loadTurns(99)).map(({ runId }) => runId);
}

async function listed(store: SessionStore): Promise<unknown[]> {
  const { sessions } = await store.listSessions(owner);
  return sessions.map(({ sessionId, title, turns }) => [sessionId, title, turns]);
}

it.each([
  ["plain", () => new InMemoryStorage()],
  ["bounded", () => new BoundedStorage()],
])(
  "a session whose lease is deferred shows all calls what a session with a lease shows, in %s storage",
  async (_name, create) => {
    await fc.assert(
      fc.asyncProperty(script, async (actions) => {
        const deferred = await play(actions, { isNew: true, storage: create() });
        const plain = await play(actions, { isNew: false, storage: create() });

        expect(deferred).toEqual(plain);
        expect(deferred).toMatchObject({ busy: 0, deferred: 0 });
      }),
      { numRuns: 150 },
    );
  },
);
