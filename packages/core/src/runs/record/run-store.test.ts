import { describe, expect, it } from "vitest";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { readInput } from "./run-input.ts";
import type { RunRecord, RunStorage } from "./run-record.ts";
import { RunStore } from "./run-store.ts";
import { contentsOf, placesIn, watchedStorage } from "./test/contents.ts";
import { runDrivers } from "./test/run-drivers.ts";
import { newRecord } from "./test/run-records.ts";

const amongAll = "run-by #all/999999999999995.r1";
const bySession = "run-by #session/-/ada/s/999999999999995/r1";
const byOwner = "run-by -/ada/open/999999999999995.r1";
const [wait, other] = [
  { id: "t.0", kind: "approval", about: null },
  { id: "t.1", kind: "upgrade", about: null },
] as const;
const plan = { tools: { send: "1" } };

function scene({
  storage = new InMemoryStorage(),
  isShared,
}: { storage?: RunStorage; isShared?: boolean | undefined } = {}) {
  const clock = { now: 100 };
  return { storage, clock, store: new RunStore(storage, () => clock.now, isShared) };
}

const recordOf = (given: Partial<RunRecord> = {}) => newRecord({ runId: "r1", createdAt: 4, ...given });
const listed = { v: 1, createdAt: 4, sessionId: "s" };
const entry = { v: 1, submittedAt: 100, activation: 1, priority: 10, owner: "-/ada", sessionId: "s", createdAt: 4 };

/** Storage that holds a run as it is after its acceptance, and its store. */
async function stored(given: Partial<RunRecord> = {}, options: Parameters<typeof scene>[0] = {}) {
  const made = scene(options);
  const record = recordOf(given);
  await made.store.insert(record);
  return { ...made, record };
}

describe("RunStore.insert", () => {
  it("stores the record, its entries in the lists of all runs, its session and owner, and one in that of open runs", async () => {
    const { storage, record } = await stored();
    expect(await contentsOf(storage)).toEqual({
      "runs r1": record,
      "run-open r1": entry,
      [amongAll]: { v: 1, session: "-/ada/s" },
      [bySession]: { v: 1 },
      [byOwner]: listed,
    });
  });

  it("stores the first record of its log and a time of removal with it", async () => {
    const { storage, store } = scene();
    const first = { v: 1, entries: [{ t: "left", why: "released" }] } as const;
    await store.insert(recordOf({ expiresAt: 900, notBefore: 200, priority: 3, activation: 2 }), first);

    expect(await contentsOf(storage)).toMatchObject({
      "run-open r1": { ...entry, notBefore: 200, priority: 3, activation: 2 },
      "run-by #expires/000000000000900/r1": { v: 1 },
      "run-log r1/000000000001": first,
    });
  });

  const anonymous = { anonymous: "#a", inputBytes: 7 };
  it.each([
    ["of several processes", true, ["run-by #anonymous/%23a/r1"]],
    ["of one process", undefined, []],
  ])(
    "lists a run without a user by its session, and in a storage %s by its caller",
    async (_name, isShared, counted) => {
      const { storage } = await stored({ owner: { tenantId: "t" }, ...anonymous }, { isShared });
      const session = "run-by #session/t/-/s/999999999999995/r1";
      const { "runs r1": _record, "run-open r1": open, ...lists } = await contentsOf(storage);

      expect(open).toEqual({ ...entry, owner: "t/-", ...anonymous });
      const caller = Object.fromEntries(counted.map((place) => [place, { ...listed, inputBytes: 7 }]));
      expect(lists).toEqual({ [amongAll]: { v: 1, session: "t/-/s" }, [session]: { v: 1 }, ...caller });
    },
  );

  it.each(runDrivers)("keeps the first run of an id, over storage with %s", async (_name, create) => {
    const { store, storage } = await stored({}, { storage: create() });
    const before = await contentsOf(storage);
    expect(await store.insert(recordOf({ createdAt: 5, note: "second" }))).toBe(false);
    expect(await store.insert(recordOf({ note: "third" }))).toBe(false);

    expect(await contentsOf(storage)).toEqual(before);
  });

  it("puts a run with a long input on the list of open runs before it stores a piece of that", async () => {
    const calls: string[] = [];
    const storage = watchedStorage(new InMemoryStorage(), (call) => calls.push(call));
    const record = recordOf({ input: "x".repeat(33_000) });
    const { store } = scene({ storage });

    expect(await store.insert(record)).toBe(true);
    expect(calls[0]).toBe("set run-open r1");
    expect(calls[1]).toMatch(/^set run-input r1\//);
    const read = await store.read("r1");
    expect(read).toMatchObject({ options: {}, inputPieces: { count: 1 } });
    expect(await readInput(storage, read ?? record)).toEqual({ input: record.input, options: {} });
  });

  it("removes the long input alone that belongs to a run whose id was taken", async () => {
    const { store, storage } = await stored({ input: "x".repeat(33_000) });
    const before = await placesIn(storage);
    expect(await store.insert(recordOf({ input: "y".repeat(33_000) }))).toBe(false);
    expect(await placesIn(storage)).toEqual(before);
  });
});

describe("RunStore.read", () => {
  const running = { attempts: 2, node: "n2", startedAt: 50, plan };
  it.each<[what: string, stored: Partial<RunRecord>, shown: Partial<RunRecord>]>([
    ["knows an earlier attempt", { attempts: 1, status: "queued" }, { status: "running", ...running }],
    [
      "waits since an earlier attempt",
      { attempts: 1, status: "waiting", waits: [wait] },
      { status: "running", ...running },
    ],
    ["knows this attempt", { attempts: 2, status: "waiting", waits: [wait] }, { status: "waiting", attempts: 2 }],
    ["knows a later attempt", { attempts: 3, status: "running", node: "n3" }, { attempts: 3, node: "n3" }],
    ["has the end of the run", { attempts: 1, status: "cancelled" }, { status: "cancelled", attempts: 1 }],
  ])("shows the attempt of this process beside a record that %s", async (_what, given, shown) => {
    const { store, record } = await stored(given);
    store.running.set("r1", running);
    store.running.set("r0", { ...running, attempts: 9 });

    const { waits, ...rest } = record;
    const { waits: shownWaits, ...read } = (await store.read("r1")) ?? {};
    expect(read).toEqual({ ...rest, ...shown });
    expect(shownWaits).toEqual(shown.status === "running" ? undefined : waits);
  });

  it("has nothing for a run that only this process knows", async () => {
    const { store } = scene();
    store.running.set("r1", running);
    expect(await store.read("r1")).toBeNull();
  });
});

describe("RunStore.change", () => {
  it("changes what another process has stored, although the caller knows an older record", async () => {
    const { store, record } = await stored();
    await store.change("r1", (known) => ({ ...known, note: "other" }));
    const seen: unknown[] = [];
    const changed = await store.change("r1", (known) => (seen.push(known.note), { ...known, attempts: 1 }), record);

    expect(seen).toEqual([undefined, "other"]);
    expect(changed).toEqual({ ...record, note: "other", attempts: 1 });
    expect(await store.read("r1")).toEqual(changed);
  });

  it("reads nothing where the caller knows the record", async () => {
    const calls: string[] = [];
    const { storage, record } = await stored();
    const store = new RunStore(
      watchedStorage(storage, (call) => calls.push(call)),
      () => 1,
    );
    await store.change("r1", (known) => ({ ...known, attempts: 1 }), record);
    expect(calls).toEqual(["compareAndSet runs r1"]);
  });

  it.each([["r1"], ["r2"]])("stores nothing where there is nothing to change: %s", async (runId) => {
    const { store, storage } = await stored();
    const before = await contentsOf(storage);
    expect(await store.change(runId, () => null)).toBeNull();
    expect(await contentsOf(storage)).toEqual(before);
  });
});

describe("RunStore.suspend", () => {
  it("stores the waits and their deadline in place of those before, and leaves the run on the list", async () => {
    const { store, storage, record } = await stored({ attempts: 1, waits: [other], waitsUntil: 7 });
    const waits = [wait];
    const first = await store.suspend({ runId: "r1", attempts: 1 }, waits, 0);
    expect(first).toEqual({ ...record, status: "waiting", waits, waitsUntil: 0 });
    expect(first?.waits).not.toBe(waits);
    const { waitsUntil: _until, ...unbounded } = record;
    expect(await store.suspend({ runId: "r1", attempts: 2 }, [other])).toEqual({
      ...unbounded,
      attempts: 2,
      status: "waiting",
    });
    expect(await store.openRuns.read("r1")).toEqual((await contentsOf(storage))["run-open r1"]);
  });

  it.each([
    ["is over", { status: "completed", attempts: 1 }],
    ["has a later attempt", { status: "running", attempts: 2 }],
  ] as const)("leaves a run alone that %s", async (_what, given) => {
    const { store, record } = await stored(given);
    expect(await store.suspend({ runId: "r1", attempts: 1 }, [wait])).toBeNull();
    expect(await store.read("r1")).toEqual(record);
  });
});
