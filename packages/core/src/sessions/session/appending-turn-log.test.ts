import { describe, expect, it } from "vitest";
import { InMemoryStorage } from "../storage/in-memory-storage.ts";
import { MapStorage } from "../storage/test/map-storage.ts";
import { toldCalls } from "../storage/test/told-calls.ts";
import { AppendingTurnLog } from "./appending-turn-log.ts";
import type { AppendingDriver } from "./appending-turn-log.ts";
import { sessionRef, turnKey } from "./session-keys.ts";
import type { SessionRecord } from "./session-record.ts";
import { turnNamed } from "./test/turns.ts";
import { newTurnRecord, toStoredTurn } from "./turn-record.ts";
import { tombstoneOf } from "./turn-cut.ts";
import type { TurnCut } from "./turn-cut.ts";

const ref = sessionRef({ userId: "ada" }, "s");
const prefix = `${ref.key}/`;
const session: SessionRecord = { v: 1, owner: ref.owner, createdAt: 0, updatedAt: 0, turns: 0 };

/** Stores turns with these numbers, and tombstones of cuts. */
async function stored(numbers: readonly number[], cuts: readonly (TurnCut & { at: number })[] = []) {
  const storage = new InMemoryStorage();
  for (const seq of numbers)
    await storage.set("turns", turnKey(ref.key, seq), toStoredTurn(newTurnRecord(turnNamed(`${seq}`))));
  for (const { at, ...cut } of cuts) await storage.set("turns", turnKey(ref.key, at), tombstoneOf(cut));
  // Of a neighbour, whose key begins alike.
  await storage.set("turns", turnKey(`${ref.key}2`, 1), { v: 1 });
  return storage;
}

/** A driver that ignores the options of a listing, and lists backwards. */
function careless(storage: InMemoryStorage): AppendingDriver {
  return Object.assign(new MapStorage(), {
    append: storage.append.bind(storage),
    list: async (namespace: string, start?: string) => (await storage.list(namespace, start)).toReversed(),
  });
}

const names = (turns: readonly { seq: number; runId: string }[]) => {
  for (const { seq, runId } of turns) expect(runId).toBe(`${seq}`);
  return turns.map(({ seq }) => seq);
};

describe("the turns of a storage that numbers them", () => {
  const cuts = [
    { at: 3, from: 3, through: 5 },
    { at: 4, from: 3, through: 5 },
    { at: 5, from: 3, through: 5 },
  ];

  it.each([
    [[1, 2, 3], [], 2, [2, 3]],
    [[1, 2, 3], [], 3, [1, 2, 3]],
    [[1, 2, 3], [], 9, [1, 2, 3]],
    [[1, 2, 3], [], Infinity, [1, 2, 3]],
    [[], [], 2, []],
    [[1, 2, 6, 7], cuts, 1, [7]],
    [[1, 2, 6, 7], cuts, 3, [2, 6, 7]],
    [[1, 2, 6, 7], cuts, 4, [1, 2, 6, 7]],
    [[1, 2, 6, 7], cuts, Infinity, [1, 2, 6, 7]],
  ])("%j with the cuts %j: the newest %d are %j", async (...row) => {
    const [numbers, tombs, count, newest] = row;
    const storage = await stored(numbers, tombs);
    for (const driver of [storage, careless(storage)])
      expect(names(await new AppendingTurnLog(driver, ref).newest(count, session))).toEqual(newest);
  });

  it.each([
    [[1, 2, 3], [], 0, 2, [1, 2]],
    [[1, 2, 3], [], 1, 2, [2, 3]],
    [[1, 2, 3], [], 2, 9, [3]],
    [[1, 2, 3], [], 0, Infinity, [1, 2, 3]],
    [[1, 2, 3], [], 3, 1, []],
    [[1, 2, 6, 7], cuts, 0, 3, [1, 2, 6]],
    [[1, 2, 6, 7], cuts, 2, 1, [6]],
    [[1, 2, 6, 7], cuts, 2, 2, [6, 7]],
    [[1, 2, 6, 7], cuts, 6, 2, [7]],
  ])("%j with the cuts %j: after %d, %d at most are %j", async (...row) => {
    const [numbers, tombs, after, limit, found] = row;
    const storage = await stored(numbers, tombs);
    for (const driver of [storage, careless(storage)])
      expect(names(await new AppendingTurnLog(driver, ref).after(after, limit, session))).toEqual(found);
  });

  it("are without those of a cut that is not finished", async () => {
    const log = new AppendingTurnLog(await stored([1, 2, 3, 4]), ref);
    const cut = { ...session, cut: { from: 2, through: 3 } };
    expect(names(await log.newest(2, cut))).toEqual([1, 4]);
    expect(names(await log.after(0, 2, cut))).toEqual([1, 4]);
  });

  it("are not read further than they are asked for", async () => {
    const { driver, calls } = toldCalls(await stored([1, 2, 3]));
    const log = new AppendingTurnLog(driver as AppendingDriver, ref);
    await log.newest(2, session);
    await log.after(1, 2, session);
    expect(await log.newest(0, session)).toEqual([]);
    expect(await log.after(0, 0, session)).toEqual([]);
    await log.newest(9, session);
    await log.after(0, 9, session);
    expect(calls).toEqual(Array.from({ length: 4 }, () => `list turns ${prefix}`));
  });

  it("are read across a cut by one step, however long it is", async () => {
    const through = 40;
    const tombs = Array.from({ length: through - 1 }, (_, index) => ({ at: index + 2, from: 2, through }));
    const { driver, calls } = toldCalls(await stored([1, 41], tombs));
    const log = new AppendingTurnLog(driver as AppendingDriver, ref);
    expect(names(await log.newest(2, session))).toEqual([1, 41]);
    expect(calls.splice(0)).toHaveLength(2);
    expect(names(await log.after(0, 2, session))).toEqual([1, 41]);
    expect(calls).toHaveLength(2);
  });

  it("turns that lie under a key which is no number are named by their place", async () => {
    const storage = await stored([1]);
    await storage.set("turns", `${prefix}x`, { v: 1 });
    await expect(new AppendingTurnLog(storage, ref).newest(9, session)).rejects.toMatchObject({
      code: "storage_corrupt",
      fields: { namespace: "turns", key: `${prefix}x` },
    });
  });
});

describe("the next turn of a storage that numbers them", () => {
  it.each([
    [[], [], 0, 1],
    [[1, 2], [], 0, 3],
    [[1, 2], [], 2, 3],
    [[1], [], 5, 6],
    [[1], [{ at: 2, from: 2, through: 4 }], 0, 5],
    [[], [], 4, 5],
  ])("the next turn after %j with the cuts %j and %d counted is %d", async (...row) => {
    const [numbers, cuts, turns, next] = row;
    const storage = await stored(numbers, cuts);
    for (const driver of [storage, careless(storage)])
      expect(await new AppendingTurnLog(driver, ref).next({ ...session, turns })).toBe(next);
  });

  it("is stored behind the last, and counted in the record", async () => {
    const storage = await stored([1]);
    await storage.set("sessions", ref.key, session as never);
    const turn = newTurnRecord(turnNamed("2"));
    const after = await new AppendingTurnLog(storage, ref).append(turn, session);
    expect(after).toMatchObject({ turns: 2, title: "Look at 2.", titleBy: "message" });
    expect(await storage.get("sessions", ref.key)).toEqual(after);
    expect(await storage.get("turns", `${prefix}000000000002`)).toEqual(toStoredTurn(turn));
  });

  it("is stored for the holder of the lease alone", async () => {
    const storage = await stored([]);
    await storage.set("locks", ref.key, { token: 2 });
    const turn = newTurnRecord(turnNamed("1"));
    const append = async (token: number) =>
      await new AppendingTurnLog(storage, ref, { ifHeld: { key: ref.key, token } }).append(turn, session);
    await expect(append(1)).rejects.toMatchObject({ code: "conflict" });
    expect(await storage.list("turns", prefix)).toEqual([]);
    expect(await append(2)).toMatchObject({ turns: 1 });
  });

  it.each([undefined, null, -1, 1.5, "2"])("is told by its place when it gets the number %j", async (seq) => {
    const driver = Object.assign(new InMemoryStorage(), {
      append: async () => await Promise.resolve({ key: "k", seq }),
    });
    await expect(
      new AppendingTurnLog(driver as never, ref).append(newTurnRecord(turnNamed("1")), session),
    ).rejects.toMatchObject({ code: "storage_corrupt", fields: { namespace: "turns", key: prefix } });
  });
});
