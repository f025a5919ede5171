import { describe, expect, it } from "vitest";
import { readTurnPage } from "./read-turn-page.ts";
import type { SessionRecord } from "./session-record.ts";
import type { TurnLog } from "./turn-log-type.ts";
import { newTurnRecord } from "./turn-record.ts";
import type { StoredTurn } from "./turn-record.ts";
import { turnNamed } from "./test/turns.ts";

const session: SessionRecord = { v: 1, owner: {}, createdAt: 0, updatedAt: 0, turns: 9 };
const turns = (...numbers: number[]): StoredTurn[] =>
  numbers.map((seq) => ({ ...newTurnRecord(turnNamed(`${seq}`)), seq }));

/** A log of turns with these numbers, and how it was read. */
function logOf(stored: StoredTurn[]) {
  const reads: [after: number, limit: number][] = [];
  const unused = async (): Promise<never> => await Promise.reject(new Error("unused"));
  const log: TurnLog = {
    newest: unused,
    next: unused,
    append: unused,
    after: async (seq, limit, read) => {
      expect(read).toBe(session);
      reads.push([seq, limit]);
      return stored.filter((turn) => turn.seq > seq).slice(0, limit);
    },
  };
  return { log, reads };
}

const shown = (page: { turns: StoredTurn[]; next?: number }) => ({ ...page, turns: page.turns.map(({ seq }) => seq) });

describe("a page of turns", () => {
  it.each([
    [0, 2, { turns: [1, 3], next: 3 }],
    [0, 3, { turns: [1, 3, 4], next: 4 }],
    [0, 4, { turns: [1, 3, 4, 7] }],
    [0, 5, { turns: [1, 3, 4, 7] }],
    [1, 1, { turns: [3], next: 3 }],
    [2, 2, { turns: [3, 4], next: 4 }],
    [4, 2, { turns: [7] }],
    [7, 2, { turns: [] }],
    [9, 1, { turns: [] }],
  ])("a page after %d of %d at most is %j, by one read", async (after, limit, page) => {
    const { log, reads } = logOf(turns(1, 3, 4, 7));
    expect(shown(await readTurnPage(log, session, { after, limit }))).toStrictEqual(page);
    expect(reads).toEqual([[after, limit + 1]]);
  });

  it.each([
    [0, 2, { turns: [1, 3], next: 3 }],
    [0, 4, { turns: [1, 3, 4, 7] }],
    [1, 1, { turns: [3], next: 3 }],
    [4, 2, { turns: [7] }],
    [7, 2, { turns: [] }],
  ])("a page after %d of %d at most is the same when each of its turns is taken", async (after, limit, page) => {
    const { log } = logOf(turns(1, 3, 4, 7));
    const take = (): boolean => true;
    expect(shown(await readTurnPage(log, session, { after, limit, take }))).toStrictEqual(page);
  });
});

describe("a page whose turns are taken one by one", () => {
  it.each([
    [1, { turns: [1], next: 1 }],
    [3, { turns: [1, 3], next: 3 }],
    [6, { turns: [1, 3, 4], next: 4 }],
    [7, { turns: [1, 3, 4, 7] }],
  ])("ends behind %d, before the first that is refused", async (last, page) => {
    const { log } = logOf(turns(1, 3, 4, 7));
    const asked: number[] = [];
    const take = async ({ seq }: StoredTurn): Promise<boolean> => {
      asked.push(seq);
      return await Promise.resolve(seq <= last);
    };
    expect(shown(await readTurnPage(log, session, { after: 0, limit: 9, take }))).toStrictEqual(page);
    expect(asked).toEqual([1, 3, 4, 7].slice(0, page.turns.length + 1));
  });

  it("has one turn although that is refused, and asks for none behind the limit", async () => {
    const { log } = logOf(turns(1, 2, 3));
    const asked: number[] = [];
    const take = ({ seq }: StoredTurn): boolean => asked.push(seq) < 0;
    expect(shown(await readTurnPage(log, session, { after: 0, limit: 9, take }))).toStrictEqual({
      turns: [1],
      next: 1,
    });
    expect(asked).toEqual([1, 2]);

    const all = logOf(turns(1, 2, 3));
    const taken = await readTurnPage(all.log, session, { after: 0, limit: 2, take: ({ seq }) => asked.push(seq) > 0 });
    expect(shown(taken)).toStrictEqual({ turns: [1, 2], next: 2 });
    expect(asked).toEqual([1, 2, 1, 2]);
  });

  it("reads twice as many each time, and no more than one behind its limit", async () => {
    const { log, reads } = logOf(turns(1, 2, 3, 4, 5, 6, 7, 8, 9, 10));
    await readTurnPage(log, session, { after: 0, limit: 8, take: () => true });
    expect(reads).toEqual([
      [0, 1],
      [1, 2],
      [3, 4],
      [7, 2],
    ]);
  });

  it("reads one at a time behind turns with much data", async () => {
    const withData = (seq: number, length: number): StoredTurn[] =>
      turns(seq).map((turn) => ({
        ...turn,
        input: [
          { type: "image", data: "A".repeat(length / 2) },
          { type: "image", data: "A".repeat(length / 2) },
        ],
      }));
    const most = 8_388_608;
    const stored = [...withData(1, most), ...withData(2, 4), ...withData(3, most), ...turns(4, 5, 6)];
    const { log, reads } = logOf(stored);
    await readTurnPage(log, session, { after: 0, limit: 8, take: () => true });
    expect(reads).toEqual([
      [0, 1],
      [1, 2],
      [3, 1],
      [4, 2],
      [6, 3],
    ]);
  });
});
