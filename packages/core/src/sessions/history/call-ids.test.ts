import { describe, expect, it } from "vitest";
import { CallIds } from "./call-ids.ts";

const takeAll = (...given: string[]) => {
  const ids = new CallIds();
  return given.map((id) => ids.take(id));
};

describe("CallIds.take", () => {
  it.each<[string[], string[]]>([
    [
      ["a", "b"],
      ["a", "b"],
    ],
    [
      ["a", "a", "a"],
      ["a", "a_2", "a_3"],
    ],
    [
      ["a", "a_2", "a", "a"],
      ["a", "a_2", "a_3", "a_4"],
    ],
    [
      ["a", "a", "a_2", "a_2"],
      ["a", "a_2", "a_2_2", "a_2_3"],
    ],
    [
      ["", "", "call", "call"],
      ["call_2", "call_3", "call", "call_4"],
    ],
    [
      ["call_2", ""],
      ["call_2", "call_3"],
    ],
    [
      ["constructor", "__proto__", "__proto__"],
      ["constructor", "__proto__", "__proto___2"],
    ],
    [
      ["A", "a", "a "],
      ["A", "a", "a "],
    ],
  ])("makes of the ids %j the ids %j", (given, taken) => {
    expect(takeAll(...given)).toEqual(taken);
  });

  it("makes each id unique, however many come with the same one", () => {
    const taken = takeAll(...Array.from({ length: 5000 }, () => "x"));

    expect(new Set(taken).size).toBe(5000);
    expect(taken.at(-1)).toBe("x_5000");
  });
});
