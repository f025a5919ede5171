import { describe, expect, it } from "vitest";
import { MapStorage } from "../storage/test/map-storage.ts";
import { toldCalls } from "../storage/test/told-calls.ts";
import type { Write } from "../storage/storage-driver.ts";
import { KeyedTurnLog } from "./keyed-turn-log.ts";
import { sessionRef, turnKey } from "./session-keys.ts";
import type { SessionRecord } from "./session-record.ts";
import { turnNamed } from "./test/turns.ts";
import { newTurnRecord, toStoredTurn } from "./turn-record.ts";
import { tombstoneOf } from "./turn-cut.ts";
import type { TurnCut } from "./turn-cut.ts";

const ref = sessionRef({ userId: "ada" }, "s");
const record: SessionRecord = { v: 1, owner: ref.owner, createdAt: 0, updatedAt: 0, recency: 1, turns: 0 };
const counted = (turns: number, cut?: TurnCut): SessionRecord => ({ ...record, turns, ...(cut && { cut }) });
const turnOf = (seq: number) => ({ ...newTurnRecord(turnNamed(`${seq}`)), createdAt: seq });

/** Stores turns with these numbers, and the tombstones of cuts. */
async function stored(numbers: readonly number[], cuts: readonly TurnCut[] = [], storage = new MapStorage()) {
  for (const seq of numbers) await storage.set("turns", turnKey(ref.key, seq), toStoredTurn(turnOf(seq)));
  for (const cut of cuts) {
    for (let seq = cut.from; seq <= cut.through; seq++)
      await storage.set("turns", turnKey(ref.key, seq), tombstoneOf(cut));
  }
  return storage;
}

const names = (turns: readonly { seq: number; runId: string }[]) => {
  for (const { seq, runId } of turns) expect(runId).toBe(`${seq}`);
  return turns.map(({ seq }) => seq);
};

const cut = [{ from: 3, through: 5 }];

describe("the turns of a storage that does not number them", () => {
  it.each([
    [[1, 2, 3], [], 3, 2, [2, 3]],
    [[1, 2, 3], [], 3, 9, [1, 2, 3]],
    [[1, 2, 3], [], 3, Infinity, [1, 2, 3]],
    [[1, 2, 3], [], 2, 2, [2, 3]],
    [[1, 2, 3], [], 0, 2, [2, 3]],
    [[1, 2, 3], [], 0, 1, [3]],
    [[1, 3], [], 3, 2, [1, 3]],
    [[], [], 2, 2, []],
    [[], [], 0, 2, []],
    [[1, 2, 6, 7], cut, 7, 1, [7]],
    [[1, 2, 6, 7], cut, 7, 3, [2, 6, 7]],
    [[1, 2, 6, 7], cut, 7, 4, [1, 2, 6, 7]],
    [[1, 2, 6, 7], cut, 5, 3, [2, 6, 7]],
    [[1, 2], cut, 5, 1, [2]],
  ])("%j with the cuts %j, %d counted: the newest %d are %j", async (...row) => {
    const [numbers, cuts, turns, count, newest] = row;
    const log = new KeyedTurnLog(await stored(numbers, cuts), ref);
    expect(names(await log.newest(count, counted(turns)))).toEqual(newest);
    // It knows the end from then on.
    expect(await log.next(counted(turns))).toBe(Math.max(turns, ...numbers) + 1);
  });

  it.each([
    [[1, 2, 3], [], 3, 0, 2, [1, 2]],
    [[1, 2, 3], [], 3, 1, 2, [2, 3]],
    [[1, 2, 3], [], 3, 0, 9, [1, 2, 3]],
    [[1, 2, 3], [], 3, 0, Infinity, [1, 2, 3]],
    [[1, 2, 3], [], 1, 0, 2, [1, 2]],
    [[1, 2, 3], [], 1, 2, 9, [3]],
    [[1, 2, 3], [], 3, 3, 1, []],
    [[1, 3], [], 3, 0, 2, [1, 3]],
    [[1, 2, 6, 7], cut, 7, 0, 3, [1, 2, 6]],
    [[1, 2, 6, 7], cut, 7, 2, 1, [6]],
    [[1, 2, 6, 7], cut, 7, 6, 2, [7]],
    [[1, 2, 6, 7], cut, 6, 5, 2, [6, 7]],
  ])("%j with the cuts %j, %d counted: after %d, %d at most are %j", async (...row) => {
    const [numbers, cuts, turns, after, limit, found] = row;
    const log = new KeyedTurnLog(await stored(numbers, cuts), ref);
    expect(names(await log.after(after, limit, counted(turns)))).toEqual(found);
  });

  it("are without those of a cut that is not finished", async () => {
    const log = new KeyedTurnLog(await stored([1, 2, 3, 4, 5]), ref);
    const session = counted(4, { from: 2, through: 3 });
    expect(names(await log.newest(3, session))).toEqual([1, 4, 5]);
    expect(names(await log.after(0, 3, session))).toEqual([1, 4, 5]);
    const all = counted(3, { from: 2, through: 5 });
    expect(names(await log.newest(3, all))).toEqual([1]);
    expect(names(await log.after(0, 3, all))).toEqual([1]);
  });

  it("are read by their keys, no further than they are asked for, and never listed", async () => {
    const { driver, calls } = toldCalls(await stored([1, 2, 3]));
    const key = (seq: number) => `get turns ${turnKey(ref.key, seq)}`;
    await new KeyedTurnLog(driver, ref).newest(2, counted(3));
    expect(calls.splice(0)).toEqual([key(4), key(2), key(3)]);
    await new KeyedTurnLog(driver, ref).after(0, 2, counted(3));
    expect(calls.splice(0)).toEqual([key(1), key(2)]);
  });

  it("damaged turns of a storage that does not number them are named by their place", async () => {
    const storage = await stored([1]);
    await storage.set("turns", turnKey(ref.key, 2), { v: 1 });
    await expect(new KeyedTurnLog(storage, ref).newest(2, counted(2))).rejects.toMatchObject({
      code: "storage_corrupt",
      fields: { namespace: "turns", key: turnKey(ref.key, 2) },
    });
  });
});

describe("the next turn of a storage that does not number them", () => {
  it.each([
    [[], 0, 1],
    [[1, 2], 2, 3],
    [[1, 2, 3], 1, 4],
    [[], 4, 5],
  ])("the next turn after %j with %d counted is %d, and is stored there", async (numbers, turns, next) => {
    const storage = await stored(numbers);
    await storage.set("sessions", ref.key, counted(turns) as never);
    const log = new KeyedTurnLog(storage, ref);
    expect(await log.next(counted(turns))).toBe(next);
    expect(await log.append(turnOf(next), counted(turns))).toMatchObject({ turns: next, titleBy: "message" });
    expect(await storage.get("turns", turnKey(ref.key, next))).toEqual(toStoredTurn(turnOf(next)));
    expect(await log.append(turnOf(next + 1), counted(next))).toMatchObject({ turns: next + 1 });
    expect(await storage.get("sessions", ref.key)).toMatchObject({ turns: next + 1, title: `Look at ${next}.` });
  });

  it("is not looked for again by the same log", async () => {
    const { driver, calls } = toldCalls(await stored([1]));
    const log = new KeyedTurnLog(driver, ref);
    await log.next(counted(1));
    await log.next(counted(1));
    expect(calls).toEqual([`get turns ${turnKey(ref.key, 2)}`]);
  });

  it("takes the same number again when it could not be stored", async () => {
    let isDown = true;
    const { driver } = toldCalls(await stored([1]), ({ method }) =>
      method === "set" && isDown ? "fail-before" : undefined,
    );
    const log = new KeyedTurnLog(driver, ref);
    await expect(log.append(turnOf(2), counted(1))).rejects.toMatchObject({ code: "storage_unavailable" });
    isDown = false;
    expect(await log.append(turnOf(2), counted(1))).toMatchObject({ turns: 2 });
    expect(names(await log.newest(9, counted(2)))).toEqual([1, 2]);
  });
});

describe("the next turn of a storage with transactions and no compareAndSet", () => {
  class Transacting extends MapStorage {
    async transaction(writes: readonly Write[]): Promise<void> {
      for (const { namespace, key, value } of writes) await this.set(namespace, key, value);
    }
  }

  it("is stored with its count and its place in one step, over what others have changed", async () => {
    const storage = new Transacting();
    await storage.set("sessions", ref.key, { ...counted(0), title: "Mine", titleBy: "user" } as never);
    const { driver, calls } = toldCalls(storage);
    const after = await new KeyedTurnLog(driver, ref).append(turnOf(1), counted(0));
    expect(after).toMatchObject({ turns: 1, title: "Mine", titleBy: "user" });
    expect(await storage.get("sessions", ref.key)).toEqual(after);
    expect(calls).toEqual([
      `get turns ${turnKey(ref.key, 1)}`,
      `get sessions ${ref.key}`,
      expect.stringMatching(
        /^transaction \+turns \S+\/000000000001, \+sessions -\/ada\/s, \+session-recent \S+, -session-recent -\/ada\/8999999999999999\/s$/,
      ),
    ]);
  });

  it("makes the record that is not there from what is known", async () => {
    const storage = new Transacting();
    await storage.set("session-recent", "-/ada/8999999999999999/s", { v: 1 });
    const after = await new KeyedTurnLog(storage, ref).append(turnOf(1), { ...counted(0), waiting: "r" });
    expect(after).toMatchObject({ turns: 1, waiting: "r", title: "Look at 1." });
    expect(await storage.get("sessions", ref.key)).toEqual(after);
    expect(await storage.list("session-recent")).toHaveLength(1);
  });

  it("fails whole with its transaction", async () => {
    const storage = new Transacting();
    const { driver } = toldCalls(storage, ({ method }) => (method === "transaction" ? "fail-before" : undefined));
    await expect(new KeyedTurnLog(driver, ref).append(turnOf(1), counted(0))).rejects.toMatchObject({
      code: "storage_unavailable",
    });
    expect([...storage.records]).toEqual([]);
  });
});
