import * as fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { BoundedStorage } from "./bounded-storage.ts";

const hourMs = 60 * 60_000;

const namespaces = ["sessions", "turns", "memory", "locks", "session-recent", "turn-parts"];

function sessionOf(namespace: string, key: string): string {
  return key.split("/")[namespace === "session-recent" ? 3 : 2] ?? "";
}

/** Writes one record of each kind that a session has. */
async function open(storage: BoundedStorage, session: string): Promise<void> {
  await storage.set("sessions", `-/-/${session}`, { v: 1 });
  await storage.append("turns", `-/-/${session}/`, { v: 1 });
  await storage.append("turns", `-/-/${session}/`, { v: 1 });
  await storage.set("memory", `-/-/${session}`, { v: 1 });
  await storage.append("memory", `-/-/${session}/`, { v: 1 });
  await storage.set("locks", `-/-/${session}`, { token: 1 });
  await storage.set("session-recent", `-/-/9998231/${session}`, { v: 1 });
  await storage.set("turn-parts", `-/-/${session}/000000000001/0/0`, "bytes");
}

/** Counts the records of each session. */
async function count(storage: BoundedStorage): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const namespace of namespaces) {
    for (const { key } of await storage.list(namespace)) {
      const session = sessionOf(namespace, key);
      counts[session] = (counts[session] ?? 0) + 1;
    }
  }
  return counts;
}

describe("BoundedStorage", () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => vi.useRealTimers());

  it("drops the session that was not used for longest, as a whole", async () => {
    const storage = new BoundedStorage({ maxSessions: 2 });
    for (const session of ["a", "ab", "b"]) await open(storage, session);

    expect(await count(storage)).toEqual({ ab: 8, b: 8 });
  });

  it("counts a read or a write as a use, but not a listing of all sessions", async () => {
    const storage = new BoundedStorage({ maxSessions: 3 });
    for (const session of ["a", "b", "c"]) await open(storage, session);
    await storage.get("sessions", "-/-/a");
    await storage.append("turns", "-/-/b/", 1);
    await storage.list("sessions", "-/-/");
    await open(storage, "d");

    expect(Object.keys(await count(storage))).toEqual(["a", "b", "d"]);
  });

  it("drops sessions that were idle for a day, before the next call reads anything", async () => {
    const storage = new BoundedStorage();
    await open(storage, "a");
    vi.advanceTimersByTime(12 * hourMs);
    await open(storage, "b");
    vi.advanceTimersByTime(12 * hourMs - 1);
    expect(await count(storage)).toEqual({ a: 8, b: 8 });
    vi.advanceTimersByTime(1);

    expect(await storage.get("sessions", "-/-/a")).toBeNull();
    expect(await count(storage)).toEqual({ b: 8 });
    vi.advanceTimersByTime(12 * hourMs);
    expect(await storage.append("turns", "-/-/b/", 1)).toMatchObject({ seq: 1 });
  });

  it("keeps its sessions when the clock is set forward", async () => {
    const storage = new BoundedStorage();
    await open(storage, "a");
    vi.setSystemTime(Date.now() + 1000 * hourMs);

    expect(await count(storage)).toEqual({ a: 8 });
  });

  it("starts no timers", async () => {
    await open(new BoundedStorage(), "a");

    expect(vi.getTimerCount()).toBe(0);
  });

  it("keeps 10,000 sessions, whatever their number of records", async () => {
    const storage = new BoundedStorage();
    for (let index = 0; index < 10_001; index++) await storage.set("sessions", `-/-/s${index}`, { v: 1 });

    expect(await storage.list("sessions")).toHaveLength(10_000);
    expect(await storage.get("sessions", "-/-/s0")).toBeNull();
  });

  it("no longer counts a deleted session", async () => {
    const storage = new BoundedStorage({ maxSessions: 2 });
    for (const session of ["a", "b"]) await storage.set("sessions", `-/-/${session}`, 1);
    await storage.delete("sessions", "-/-/b");
    await storage.set("sessions", "-/-/c", 1);

    expect(Object.keys(await count(storage))).toEqual(["a", "c"]);
  });

  it("keeps tenants' sessions of the same id apart", async () => {
    const storage = new BoundedStorage({ maxSessions: 1 });
    await storage.set("sessions", "one/-/s", 1);
    await storage.append("turns", "one/-/s/", 1);
    await storage.set("sessions", "two/-/s", 2);

    expect(await storage.list("sessions")).toEqual([{ key: "two/-/s", value: 2 }]);
    expect(await storage.list("turns")).toEqual([]);
  });

  it.each([
    ["turns", "-/-/s1/000000000001", "-/-/s1"],
    ["memory", "acme/ann/s1", "acme/ann/s1"],
    ["memory", "acme/ann/s1/", "acme/ann/s1"],
    ["memory", "acme/ann/s1/summaries/1", "acme/ann/s1"],
    ["locks", "-/-/s1", "-/-/s1"],
    ["turns", "-/-/s1%2Frun%23member/000000000001", "-/-/s1%2Frun%23member"],
  ])("drops the record %s %s with its session", async (namespace, key, session) => {
    const storage = new BoundedStorage({ maxSessions: 1 });
    await storage.set(namespace, key, 1);
    await storage.set("sessions", session, { v: 1 });
    expect(await storage.get(namespace, key)).toBe(1);

    await storage.set("sessions", "-/-/other", { v: 1 });

    expect(await storage.get(namespace, key)).toBeNull();
  });

  it.each([
    ["facts", "-/u1/f1"],
    ["tasks", "-/t1"],
    ["toString", "-/-/s1"],
    ["locks", "migration"],
  ])("never drops the record %s %s, which belongs to no session", async (namespace, key) => {
    const storage = new BoundedStorage({ maxSessions: 1 });
    await storage.set(namespace, key, 1);
    for (const session of ["-/-/t1", "-/-/s1", "-/-/other"]) await storage.set("sessions", session, { v: 1 });

    expect(await storage.get(namespace, key)).toBe(1);
  });

  it("keeps records that belong to no session", async () => {
    const storage = new BoundedStorage({ maxSessions: 1 });
    await storage.set("facts", "-/u/1", "fact");
    await storage.set("locks", "migration", { token: 1 });
    for (const session of ["a", "b"]) await open(storage, session);

    expect(await storage.get("facts", "-/u/1")).toBe("fact");
    expect(await storage.get("locks", "migration")).toEqual({ token: 1 });
  });

  it("keeps the most recently used sessions, each whole, whatever the order of uses", async () => {
    const session = fc.constantFrom("a", "b", "c", "d", "e", "f");
    const use = fc.tuple(session, fc.constantFrom("open", "read", "remove"));

    await fc.assert(
      fc.asyncProperty(fc.array(use, { maxLength: 40 }), async (uses) => {
        const storage = new BoundedStorage({ maxSessions: 3 });
        let recent: string[] = [];
        for (const [name, kind] of uses) {
          if (kind === "open" && !recent.includes(name)) await open(storage, name);
          if (kind === "remove") await remove(storage, name);
          await storage.get("sessions", `-/-/${name}`);

          const isIn = kind === "open" || (kind === "read" && recent.includes(name));
          recent = [...recent.filter((other) => other !== name), ...(isIn ? [name] : [])].slice(-3);
        }

        expect(await count(storage)).toEqual(Object.fromEntries(recent.map((name) => [name, 8])));
      }),
    );
  });

  it.each([{ maxSessions: 0 }, { maxSessions: 1.5 }, { maxIdleMs: -1 }, { maxIdleMs: NaN }])(
    "refuses %j",
    (options) => {
      expect(() => new BoundedStorage(options)).toThrow(expect.objectContaining({ code: "invalid_config" }));
    },
  );
});

async function remove(storage: BoundedStorage, session: string): Promise<void> {
  for (const namespace of namespaces) {
    for (const { key } of await storage.list(namespace)) {
      if (sessionOf(namespace, key) === session) await storage.delete(namespace, key);
    }
  }
}
