import { describe, expect, it } from "vitest";
import { InMemoryStorage } from "../storage/in-memory-storage.ts";
import { MapStorage } from "../storage/test/map-storage.ts";
import { toldCalls } from "../storage/test/told-calls.ts";
import { createSession, findSession, sessionNotFound } from "./create-session.ts";
import { sessionRef } from "./session-keys.ts";
import type { SessionRecord } from "./session-record.ts";

const owner = { tenantId: "acme", userId: "ada" };
const ref = sessionRef(owner, "s");
const stored: SessionRecord = { v: 1, owner, createdAt: 1, updatedAt: 2, turns: 4, title: "Known" };

describe("a session that is looked for", () => {
  it("is that of its owner alone", async () => {
    const storage = new InMemoryStorage();
    await storage.set("sessions", ref.key, stored as never);
    expect(await findSession(storage, ref)).toEqual(stored);
    for (const other of [{ userId: "ada" }, { tenantId: "acme" }, { ...owner, verified: false }, {}])
      expect(await findSession(storage, sessionRef(other, "s"))).toBeNull();
    expect(await findSession(storage, sessionRef(owner, "t"))).toBeNull();
  });

  it("is told by its place when its record is damaged", async () => {
    const storage = new InMemoryStorage();
    await storage.set("sessions", ref.key, { ...stored, turns: -1 } as never);
    await expect(findSession(storage, ref)).rejects.toMatchObject({
      code: "storage_corrupt",
      fields: { namespace: "sessions", key: "acme/ada/s" },
    });
  });

  it("is not found with the hint that it may belong to another user, its id quoted", () => {
    expect(sessionNotFound('a"b')).toMatchObject({
      code: "not_found",
      message: String.raw`Session "a\"b" not found. It may belong to another user: pass its userId.`,
    });
  });
});

describe("a session that is created", () => {
  const kinds = [
    ["with compareAndSet", () => new InMemoryStorage()],
    ["with the five required methods", () => new MapStorage()],
  ] as const;

  it.each(kinds)("is new and empty, and in its owner's list, over storage %s", async (_kind, create) => {
    const storage = create();
    const before = Date.now();
    const { session, isNew } = await createSession(storage, ref);
    expect(isNew).toBe(true);
    expect(session).toStrictEqual({
      v: 1,
      owner,
      createdAt: expect.any(Number),
      updatedAt: session.createdAt,
      recency: expect.any(Number),
      turns: 0,
    });
    expect(session.createdAt).toBeGreaterThanOrEqual(before);
    expect(await storage.get("sessions", ref.key)).toEqual(session);
    const inverted = String(9_000_000_000_000_000 - (session.recency ?? 0)).padStart(16, "0");
    expect(await storage.list("session-recent")).toEqual([{ key: `acme/ada/${inverted}/s`, value: { v: 1 } }]);
  });

  it("has a later place than the one that was created before it", async () => {
    const storage = new InMemoryStorage();
    const first = await createSession(storage, ref);
    const second = await createSession(storage, sessionRef(owner, "t"));
    expect(second.session.recency).toBeGreaterThan(first.session.recency ?? Infinity);
  });

  it.each(kinds)("is in the list before its record is there, over storage %s", async (_kind, create) => {
    const { driver, calls } = toldCalls(create());
    await createSession(driver, ref);
    expect(calls).toEqual([
      expect.stringMatching(/^set session-recent acme\/ada\//),
      expect.stringMatching(/^(?:set|compareAndSet) sessions acme\/ada\/s$/),
    ]);
  });

  it.each(kinds)("is none where its entry in the list cannot be stored, over storage %s", async (_kind, create) => {
    const storage = create();
    const { driver } = toldCalls(storage, ({ args }) => (args[0] === "session-recent" ? "fail-before" : undefined));
    await expect(createSession(driver, ref)).rejects.toMatchObject({ code: "storage_unavailable" });
    expect(await storage.get("sessions", ref.key)).toBeNull();
  });

  it("is the one that another process created first", async () => {
    const storage = new InMemoryStorage();
    await storage.set("sessions", ref.key, stored as never);
    expect(await createSession(storage, ref)).toEqual({ session: stored, isNew: false });
    expect(await storage.get("sessions", ref.key)).toEqual(stored);
  });

  it("is a conflict when another one was created first and deleted since", async () => {
    const storage = Object.assign(new InMemoryStorage(), { compareAndSet: async () => await Promise.resolve(false) });
    await expect(createSession(storage, ref)).rejects.toMatchObject({
      code: "conflict",
      message: "The session was deleted while it was opened. Try again.",
    });
  });
});
