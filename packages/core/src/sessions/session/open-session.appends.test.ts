import { describe, expect, it } from "vitest";
import { large, names, opened } from "./test/opened-session.ts";
import { turnNamed } from "./test/turns.ts";

describe("a turn that is appended", () => {
  it("gets the next number, over the record that the turn before has left", async () => {
    const { open, asked } = opened({ names: ["a"] });
    expect([await open.appendTurn(turnNamed("x")), await open.appendTurn(turnNamed("y"))]).toEqual([2, 3]);
    expect(asked).toEqual([
      ["append", "x", 1],
      ["append", "y", 2],
    ]);
  });

  it("is stored once, however often it is appended", async () => {
    const { open, turns } = opened();
    const numbers = [await open.appendTurn(turnNamed("x")), await open.appendTurn(turnNamed("x"))];
    await open.appendTurn(turnNamed("y"));
    await open.appendTurn(turnNamed("x"));
    expect(numbers).toEqual([1, 1]);
    expect(names(turns)).toEqual(["x", "y"]);
  });

  it.each(["before", "after"] as const)(
    "is stored once when it is appended again and was lost %s it was stored",
    async (when) => {
      const { open, turns, asked, fail } = opened({ names: ["a"] });
      fail(when);
      await expect(open.appendTurn(turnNamed("x"))).rejects.toThrow("lost");
      await open.appendTurn(turnNamed("x"));
      expect(names(turns)).toEqual(["a", "x"]);
      expect(asked).toContainEqual(["after", 1, Infinity, 1]);
    },
  );

  it("is another one than the one that was lost before it", async () => {
    const { open, turns, fail } = opened({ names: ["a"] });
    fail("after");
    await expect(open.appendTurn(turnNamed("x"))).rejects.toThrow("lost");
    await open.appendTurn(turnNamed("y"));
    expect(names(turns)).toEqual(["a", "x", "y"]);
  });

  it("has its large data written once, under its number, although it is appended again", async () => {
    const { open, calls, turns, fail } = opened({ names: ["a"] });
    const turn = { ...turnNamed("x"), input: [large] };
    fail("before");
    await expect(open.appendTurn(turn)).rejects.toThrow("lost");
    expect(await open.appendTurn(turn)).toBe(2);
    await open.appendTurn({ ...turnNamed("y"), input: [large] });
    const written = calls.filter((call) => call.startsWith("set"));
    expect(written).toEqual([
      expect.stringMatching(/^set turn-parts -\/ada\/s\/000000000002\//),
      expect.stringMatching(/^set turn-parts -\/ada\/s\/000000000003\//),
    ]);
    expect(turns.map(({ input }) => input).slice(1)).toEqual([
      [{ type: "image", stored: expect.objectContaining({ seq: 2 }) }],
      [{ type: "image", stored: expect.objectContaining({ seq: 3 }) }],
    ]);
  });

  it("is refused before anything is written when it has no shape, or the lease is given back", async () => {
    const { open, asked } = opened();
    await expect(open.appendTurn({ ...turnNamed("x"), status: "gone" as never })).rejects.toMatchObject({
      code: "invalid_value",
    });
    open.release();
    await expect(open.appendTurn(turnNamed("x"))).rejects.toMatchObject({ code: "internal" });
    expect(asked).toEqual([]);
  });
});
