import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { OrderingClock } from "../lock/ordering-clock.ts";
import { InMemoryStorage } from "../storage/in-memory-storage.ts";
import { toldCalls } from "../storage/test/told-calls.ts";
import type { FaultPlan } from "../../testing/faulty-storage.ts";
import { sessionRef } from "./session-keys.ts";
import type { SessionRecord } from "./session-record.ts";
import { withTurnCount, writeTurnCount } from "./turn-count.ts";

const owner = { userId: "ada" };
const ref = sessionRef(owner, "s");
const now = 1_700_000_000_000;
const known: SessionRecord = { v: 1, owner, createdAt: 1, updatedAt: 2, recency: 3, turns: 1 };
const later = (turns: number) => ({ updatedAt: now, recency: expect.any(Number), turns });

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now });
});
afterEach(() => {
  vi.useRealTimers();
});

describe("a session's record with one turn more", () => {
  const count = (session: SessionRecord, seq = 2, input = "Hello  you") =>
    withTurnCount(session, { seq, input }, new OrderingClock());

  it("has its number, the present, a place at the front, and a title of its input", () => {
    const before = { ...known };
    expect(count(known)).toStrictEqual({ ...known, ...later(2), title: "Hello you", titleBy: "message" });
    expect(known).toStrictEqual(before);
    expect(count(known).recency).toBeGreaterThanOrEqual(now * 1000);
  });

  it.each(["Mine", ""])("keeps the title %j that it has, and who gave it", (title) => {
    const titled: SessionRecord = { ...known, title, titleBy: "user", waiting: "r", removed: 1 };
    expect(count(titled)).toStrictEqual({ ...titled, ...later(2) });
    expect(count({ ...known, title })).toStrictEqual({ ...known, title, ...later(2) });
  });

  it("has no title without text", () => {
    expect(count(known, 2, " \n")).toStrictEqual({ ...known, ...later(2) });
    const image = { type: "image" as const, data: "AAAA" };
    expect(withTurnCount(known, { seq: 2, input: [image] }, new OrderingClock())).not.toHaveProperty("title");
  });

  it("never goes back in time, nor in its place", () => {
    const ahead = { ...known, updatedAt: now + 5, recency: (now + 5) * 1000 };
    expect(count(ahead)).toMatchObject({ updatedAt: now + 5, recency: (now + 5) * 1000 + 1 });
    const { recency: _, ...old } = { ...known, updatedAt: now + 5 };
    expect(count(old)).toMatchObject({ updatedAt: now + 5, recency: (now + 5) * 1000 + 1 });
  });
});

describe("the count of a turn that is stored", () => {
  const turn = { seq: 2, input: "Hello" };

  async function counted(stored: SessionRecord | null, plan?: FaultPlan) {
    const storage = new InMemoryStorage();
    if (stored !== null) await storage.set("sessions", ref.key, stored as never);
    const { driver, calls } = toldCalls(storage, plan);
    const returned = await writeTurnCount(driver, ref, { known, turn });
    return {
      returned,
      calls,
      stored: await storage.get("sessions", ref.key),
      recent: await storage.list("session-recent"),
    };
  }

  it("is written over the record as it is known, and moves the session in its list", async () => {
    const { returned, calls, stored, recent } = await counted(known);
    expect(returned).toStrictEqual({ ...known, ...later(2), title: "Hello", titleBy: "message" });
    expect(stored).toEqual(returned);
    expect(recent).toHaveLength(1);
    expect(calls).toEqual([
      "compareAndSet sessions -/ada/s",
      expect.stringMatching(/^transaction \+\S+ \S+, -\S+ -\/ada\/8999999999999997\/s$/),
    ]);
  });

  it("is done once the session is moved, however long that takes", async () => {
    const { recent } = await counted(known, ({ method }) => (method === "transaction" ? { delayMs: 1 } : undefined));
    expect(recent).toHaveLength(1);
  });

  it("keeps what others have changed", async () => {
    const { returned, stored } = await counted({ ...known, title: "Mine", titleBy: "user" });
    expect(returned).toStrictEqual({ ...known, ...later(2), title: "Mine", titleBy: "user" });
    expect(stored).toEqual(returned);
  });

  it.each([2, 3])("never goes back from %d", async (turns) => {
    const ahead = { ...known, turns };
    const { returned, stored, recent } = await counted(ahead);
    expect(returned).toStrictEqual({ ...known, turns: 2 });
    expect(stored).toEqual(ahead);
    expect(recent).toEqual([]);
  });

  it("leaves a deleted session deleted", async () => {
    const { returned, stored, recent } = await counted(null);
    expect(returned).toStrictEqual({ ...known, turns: 2 });
    expect([stored, recent]).toEqual([null, []]);
  });

  it("does not fail with the storage", async () => {
    const { returned, stored } = await counted(known, () => "fail-before");
    expect(returned).toStrictEqual({ ...known, turns: 2 });
    expect(stored).toEqual(known);
  });
});
