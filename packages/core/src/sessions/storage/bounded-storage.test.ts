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
    ["memory-by-id", "s1/acme/ann", "acme/ann/s1"],
    ["memory-by-id", "s1/*", "*/*/s1"],
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

  const text = (bytes: number) => "x".repeat(bytes);

  it("keeps as many bytes as it may, and drops the sessions that were not used for longest", async () => {
    const full: number[] = [];
    const storage = new BoundedStorage({ maxBytes: 12_000, onFull: (maxBytes) => full.push(maxBytes) });
    for (const session of ["a", "b", "c", "d"]) await storage.set("sessions", `-/-/${session}`, text(2000));

    expect(Object.keys(await count(storage))).toEqual(["b", "c", "d"]);
    expect(storage.bytes).toBeGreaterThan(6000);
    expect(storage.bytes).toBeLessThanOrEqual(12_000);
    await storage.set("sessions", "-/-/e", text(2000));
    expect(full).toEqual([12_000]);
  });

  it("counts two bytes for each character of a text that needs them, and frees what is replaced or deleted", async () => {
    const storage = new BoundedStorage();
    const sizeWith = async (value: string | null) => {
      await storage.set("memory", "-/-/s", value);
      return storage.bytes;
    };
    const small = await sizeWith("");

    expect((await sizeWith("é".repeat(1000))) - small).toBe(1000);
    expect((await sizeWith("→".repeat(1000))) - small).toBe(2002);
    expect(await sizeWith("")).toBe(small);
    expect(await sizeWith(null)).toBe(0);
  });

  it.each([
    ["bytes", { maxBytes: 60_000 }],
    ["sessions", { maxSessions: 20 }],
  ])(
    "drops sessions of the caller who has most beyond its %s, and none of others [storage.default-bytes]",
    async (_, limits) => {
      const storage = new BoundedStorage(limits);
      const owners = ["-/ann", "acme/ann", "-/Zo%C3%AB"];
      for (const owner of owners) await storage.set("sessions", `${owner}/hers`, text(2000));
      for (let index = 0; index < 100; index++) await storage.set("sessions", `-/mallory/s${index}`, text(2000));

      for (const owner of owners) expect(await storage.list("sessions", `${owner}/`)).toHaveLength(1);
      const left = (await storage.list("sessions", "-/mallory/")).map(({ key }) => key);
      expect(left.length).toBeGreaterThanOrEqual(15);
      expect(left.length).toBeLessThanOrEqual(17);
      expect(left).toContain("-/mallory/s99");
    },
  );

  it("counts all callers without an owner, and all users who are unverified, as one", async () => {
    const storage = new BoundedStorage({ maxBytes: 60_000 });
    for (const session of ["one", "two", "three"]) await storage.set("sessions", `-/ann/${session}`, text(2000));
    for (let index = 0; index < 100; index++) {
      await storage.set("sessions", `-/-/s${index}`, text(2000));
      await storage.set("sessions", `-/~invented${index}/s`, text(2000));
      await storage.set("sessions", `t${index}/-/s`, text(2000));
    }

    expect(await storage.list("sessions", "-/ann/")).toHaveLength(3);
  });

  it("drops the oldest turns of a session that is too large by itself, each whole, and keeps the newest", async () => {
    const storage = new BoundedStorage({ maxBytes: 20_000 });
    await storage.set("sessions", "-/-/other", { v: 1 });
    await storage.set("sessions", "-/-/s", { v: 1 });
    for (let turn = 1; turn <= 5; turn++) {
      const key = `-/-/s/00000000000${turn}`;
      for (const piece of [0, 1]) await storage.set("turn-parts", `${key}/0/${piece}`, text(2500));
      await storage.append("turns", "-/-/s/", text(1000));
    }

    expect(Object.keys(await count(storage))).toEqual(["s"]);
    expect((await storage.list("turns")).map(({ key }) => key.at(-1))).toEqual(["4", "5"].slice(-2));
    expect((await storage.list("turn-parts")).map(({ key }) => key.slice(-5))).toEqual([
      "4/0/0",
      "4/0/1",
      "5/0/0",
      "5/0/1",
    ]);
  });

  it("keeps nothing of a turn that is too large by itself, and takes the session's next turn", async () => {
    const storage = new BoundedStorage({ maxBytes: 10_000 });
    await storage.set("sessions", "-/-/s", { v: 1 });
    for (const piece of [0, 1, 2, 3, 4]) await storage.set("turn-parts", `-/-/s/000000000001/0/${piece}`, text(2500));
    await storage.append("turns", "-/-/s/", "turn");
    expect(await count(storage)).toEqual({});
    expect(storage.bytes).toBe(0);

    await storage.set("sessions", "-/-/s", { v: 1 });
    expect(await storage.append("turns", "-/-/s/", "turn")).toMatchObject({ seq: 1 });
    expect(await count(storage)).toEqual({ s: 2 });
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

  it.each([{ maxSessions: 0 }, { maxSessions: 1.5 }, { maxBytes: 0 }, { maxIdleMs: -1 }, { maxIdleMs: NaN }])(
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
