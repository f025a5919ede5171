import { expect, it } from "vitest";
import { isTurnCut, liveTurns, readTurnOrCut, tombstoneOf } from "./turn-cut.ts";
import type { TurnOrCut } from "./turn-cut.ts";
import { turnNamed } from "./test/turns.ts";

const at = { namespace: "turns", key: "-/-/s/1" };
const turnOf = (seq: number): TurnOrCut => ({
  seq,
  turn: { ...turnNamed(`${seq}`), v: 1, seq } as never,
  cut: undefined,
});
const cutOf = (seq: number, from: number, through: number): TurnOrCut => ({
  seq,
  turn: undefined,
  cut: { from, through },
});
const numbers = (found: readonly TurnOrCut[], pending?: { from: number; through: number }) =>
  liveTurns(found, pending).map(({ seq }) => seq);

it("a cut covers its first and its last number, and neither of their neighbours", () => {
  expect(numbers([1, 2, 3, 4, 5].map(turnOf), { from: 2, through: 4 })).toEqual([1, 5]);
  expect(numbers([turnOf(1), cutOf(2, 2, 3), turnOf(3), turnOf(4)])).toEqual([1, 4]);
  expect(numbers([turnOf(1), turnOf(2)], { from: 2, through: 2 })).toEqual([1]);
});

it("several cuts count, and that which is under way with them", () => {
  const found = [cutOf(1, 1, 1), turnOf(2), cutOf(3, 3, 4), turnOf(4), turnOf(5), turnOf(6)];
  expect(numbers(found)).toEqual([2, 5, 6]);
  expect(numbers(found, { from: 5, through: 5 })).toEqual([2, 6]);
});

it("the record in place of a deleted turn is read again, and one that is damaged is told", () => {
  const cut = { from: 1, through: 3 };
  expect(readTurnOrCut(tombstoneOf(cut), 2, at)).toEqual({ seq: 2, turn: undefined, cut });
  for (const value of [{ v: 2, cut }, { v: 1, cut: { from: 1 } }, { v: 1, cut: null }, {}, null])
    expect(() => readTurnOrCut(value, 2, at)).toThrow(expect.objectContaining({ code: "storage_corrupt" }));
});

it.each([
  [{ from: 1, through: 1 }, true],
  [{ from: 0, through: 0 }, true],
  [{ from: -1, through: 1 }, false],
  [{ from: 1, through: 1.5 }, false],
  [{ through: 1 }, false],
  [null, false],
])("%j has the form of a cut: %s", (value, isCut) => {
  expect(isTurnCut(value)).toBe(isCut);
});
