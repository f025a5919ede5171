import { describe, expect, it, vi } from "vitest";
import { Lease } from "../lock/lease.ts";
import { InMemoryStorage } from "../storage/in-memory-storage.ts";
import { toldCalls } from "../storage/test/told-calls.ts";
import { cutTurns, finishCut } from "./cut-turns.ts";
import { sessionRef, turnKey } from "./session-keys.ts";
import type { SessionRecord } from "./session-record.ts";
import { turnNamed } from "./test/turns.ts";
import { tombstoneOf } from "./turn-cut.ts";
import type { TurnCut } from "./turn-cut.ts";
import { newTurnRecord, toStoredTurn } from "./turn-record.ts";

const ref = sessionRef({ userId: "ada" }, "s");
const record: SessionRecord = {
  v: 1,
  owner: ref.owner,
  createdAt: 1,
  updatedAt: 1,
  recency: 1,
  turns: 4,
  title: "Look at 1.",
  titleBy: "message",
};
const key = (seq: number) => turnKey(ref.key, seq);

/** A session with turns of these numbers and tombstones of a cut, under a lease whose holder may have lost it. */
async function sessionOf(
  session: SessionRecord,
  numbers: readonly number[],
  { tomb = undefined as TurnCut | undefined } = {},
) {
  const storage = new InMemoryStorage();
  await storage.set("sessions", ref.key, session as never);
  for (const seq of numbers) await storage.set("turns", key(seq), toStoredTurn(newTurnRecord(turnNamed(`${seq}`))));
  for (let seq = tomb?.from ?? 1; seq <= (tomb?.through ?? 0); seq++)
    await storage.set("turns", key(seq), tombstoneOf({ from: 1, through: 1, ...tomb }));
  const { driver, calls } = toldCalls(storage);
  const confirm = vi.fn<() => Promise<void>>(async () => void calls.push("confirm"));
  const holder = { hadToWait: false, forgetsQueue: false, leave: () => {} };
  const lease = new Lease(holder, { appendOptions: {}, confirm });
  return { storage, calls, confirm, cuttable: { driver, ref, lease } };
}

describe("a cut of a session's turns", () => {
  it.each([
    [2, [1, 2, 3, 4], { from: 2, through: 4 }, 3],
    [4, [1, 2, 3, 4], { from: 4, through: 4 }, 1],
    [3, [1, 2, 3, 4, 5], { from: 3, through: 5 }, 3],
    [2, [1, 3], { from: 2, through: 4 }, 1],
  ])("a cut of a session's turns from %d of %j is %j, and removes %d", async (...row) => {
    const [from, numbers, cut, count] = row;
    const { storage, cuttable } = await sessionOf(record, numbers);
    const session = await cutTurns(cuttable, { from, session: record });
    expect(session).toEqual({ ...record, turns: cut.through, removed: count, cut });
    expect(await storage.get("sessions", ref.key)).toEqual(session);
    expect(await storage.list("turns")).toHaveLength(numbers.length);
  });

  it("adds to what was removed before, without counting it again", async () => {
    const before = { ...record, removed: 2 };
    const { cuttable } = await sessionOf(before, [1, 4], { tomb: { from: 2, through: 3 } });
    const cut = { from: 2, through: 4 };
    expect(await cutTurns(cuttable, { from: 2, session: before })).toEqual({ ...before, removed: 3, cut });
  });

  it.each([
    ["message", undefined],
    ["model", undefined],
    ["user", "Look at 1."],
    [undefined, "Look at 1."],
  ] as const)("a cut of a session's turns of all turns leaves a title by %s as %s", async (titleBy, title) => {
    const { titleBy: _, ...titled } = record;
    const before: SessionRecord = { ...titled, ...(titleBy && { titleBy }) };
    const { cuttable } = await sessionOf(before, [1, 2, 3, 4]);
    const session = await cutTurns(cuttable, { from: 1, session: before });
    expect(session?.title).toBe(title);
    expect(session?.titleBy).toBe(title && titleBy);
    expect(session).toMatchObject({ removed: 4, turns: 4 });
  });

  it.each([5, 9])("a cut of a session's turns from %d is none, of four turns", async (from) => {
    const { storage, calls, cuttable } = await sessionOf(record, [1, 2, 3, 4]);
    expect(await cutTurns(cuttable, { from, session: record })).toBeNull();
    expect(await storage.get("sessions", ref.key)).toEqual(record);
    expect(calls).toEqual([`list turns ${ref.key}/`]);
  });

  it("is none of turns that were deleted already, and of a session that was deleted meanwhile", async () => {
    const { cuttable } = await sessionOf(record, [1], { tomb: { from: 2, through: 4 } });
    expect(await cutTurns(cuttable, { from: 2, session: record })).toBeNull();
    const deleted = await sessionOf(record, [1, 2]);
    await deleted.storage.delete("sessions", ref.key);
    expect(await cutTurns(deleted.cuttable, { from: 2, session: record })).toBeNull();
    expect(await deleted.storage.get("sessions", ref.key)).toBeNull();
  });

  it("is written over what others have changed, once the lease is confirmed", async () => {
    const { storage, calls, confirm, cuttable } = await sessionOf(
      { ...record, title: "Mine", titleBy: "user" },
      [1, 2],
    );
    expect(await cutTurns(cuttable, { from: 2, session: record })).toMatchObject({ title: "Mine", removed: 1 });
    expect(calls.slice(0, 3)).toEqual([`list turns ${ref.key}/`, "confirm", `compareAndSet sessions ${ref.key}`]);
    confirm.mockRejectedValueOnce(new Error("taken"));
    const before = await storage.get("sessions", ref.key);
    await expect(cutTurns(cuttable, { from: 1, session: record })).rejects.toThrow("taken");
    expect(await storage.get("sessions", ref.key)).toEqual(before);
  });

  it("is told by its place of a turn that is damaged, or under no number", async () => {
    for (const place of [key(3), `${ref.key}/x`]) {
      const { storage, cuttable } = await sessionOf(record, [1, 2]);
      await storage.set("turns", place, { v: 1 });
      await expect(cutTurns(cuttable, { from: 2, session: record })).rejects.toMatchObject({
        code: "storage_corrupt",
        fields: { namespace: "turns", key: place },
      });
    }
  });
});

describe("a cut that is finished", () => {
  const cut = { from: 2, through: 3 };
  const withCut: SessionRecord = { ...record, removed: 2, cut };

  it("has tombstones in place of its turns alone, and the record is without it", async () => {
    const { storage, cuttable } = await sessionOf(withCut, [1, 2, 3, 4]);
    const { cut: _, ...done } = withCut;
    expect(await finishCut(cuttable, withCut)).toEqual(done);
    expect(await storage.get("sessions", ref.key)).toEqual(done);
    const stored = await storage.list("turns");
    expect(stored.map(({ value }) => value)).toEqual([
      expect.objectContaining({ runId: "1" }),
      tombstoneOf(cut),
      tombstoneOf(cut),
      expect.objectContaining({ runId: "4" }),
    ]);
  });

  it("is nothing to do without one", async () => {
    const { calls, cuttable } = await sessionOf(record, [1]);
    expect(await finishCut(cuttable, record)).toBe(record);
    expect(calls).toEqual([]);
  });

  it("keeps what others have changed, and is done although the session was deleted meanwhile", async () => {
    const { storage, cuttable } = await sessionOf({ ...withCut, title: "Mine" }, [1, 2, 3]);
    expect(await finishCut(cuttable, withCut)).toEqual({ ...record, removed: 2, title: "Mine" });
    await storage.delete("sessions", ref.key);
    expect(await finishCut(cuttable, withCut)).toEqual({ ...record, removed: 2 });
    expect(await storage.get("sessions", ref.key)).toBeNull();
  });

  it("removes the large data of its turns before their records, and of no others", async () => {
    const { storage, calls, cuttable } = await sessionOf(withCut, [1, 2, 3, 4]);
    for (const seq of [1, 2, 3, 4]) await storage.set("turn-parts", `${key(seq)}/0/x:000000000000`, { v: 1, data: "" });
    await finishCut(cuttable, withCut);
    expect((await storage.list("turn-parts")).map(({ key: left }) => left)).toEqual([
      `${key(1)}/0/x:000000000000`,
      `${key(4)}/0/x:000000000000`,
    ]);
    const removals = calls.filter((call) => /^(?:delete|transaction|set|confirm)/.test(call));
    expect(removals).toEqual([
      "confirm",
      "confirm",
      `delete turn-parts ${key(2)}/0/x:000000000000`,
      "confirm",
      `delete turn-parts ${key(3)}/0/x:000000000000`,
      `transaction +turns ${key(2)}, +turns ${key(3)}`,
    ]);
  });

  it("stops where another process took the lease", async () => {
    const { storage, confirm, cuttable } = await sessionOf(withCut, [1, 2, 3]);
    confirm.mockRejectedValueOnce(new Error("taken"));
    await expect(finishCut(cuttable, withCut)).rejects.toThrow("taken");
    expect(await storage.get("sessions", ref.key)).toEqual(withCut);
    expect(await storage.get("turns", key(2))).toMatchObject({ runId: "2" });
  });
});
