import { describe, expect, it } from "vitest";
import { large, names, opened, record } from "./test/opened-session.ts";
import { turnNamed } from "./test/turns.ts";

describe("the turns of an open session", () => {
  it("are the newest, as many as are asked for", async () => {
    const { open, asked } = opened({ names: ["a", "b", "c"] });
    expect(names(await open.loadTurns(2))).toEqual(["b", "c"]);
    expect(names(await open.loadTurnsWithoutData(1))).toEqual(["c"]);
    expect(names(await open.loadTurns(Infinity))).toEqual(["a", "b", "c"]);
    expect(asked).toEqual([
      ["newest", 2, 3],
      ["newest", 1, 3],
      ["newest", Infinity, 3],
    ]);
  });

  it("are not read of a new session, nor where none is asked for", async () => {
    const fresh = opened({ isNew: true });
    expect(await fresh.open.loadTurns(5)).toEqual([]);
    const { open, asked } = opened({ names: ["a"] });
    expect(await open.loadTurns(0)).toEqual([]);
    expect([...asked, ...fresh.asked]).toEqual([]);
    await fresh.open.appendTurn(turnNamed("x"));
    expect(names(await fresh.open.loadTurns(5))).toEqual(["x"]);
  });

  it.each([-1, 1.5, NaN, -Infinity, "2" as never])("cannot be %s", async (count) => {
    for (const { open } of [opened(), opened({ isNew: true })]) {
      const error = { code: "invalid_config", message: expect.stringContaining("The number of turns to load") };
      await expect(open.loadTurns(count)).rejects.toMatchObject(error);
      await expect(open.loadTurnsWithoutData(count)).rejects.toMatchObject(error);
    }
  });

  it("are those with some numbers, in their order, without those that are gone", async () => {
    const { open, turns } = opened({ names: ["a", "b", "c", "d"] });
    turns.splice(1, 1);
    expect(names(await open.loadTurnsAt([4, 1, 2, 3, 9]))).toEqual(["d", "a", "c"]);
    expect(await open.loadTurnsAt([])).toEqual([]);
  });

  it("have their large data, or references to it, which is read part by part", async () => {
    const { open } = opened();
    const turn = { ...turnNamed("x"), input: [large] };
    await open.appendTurn(turn);
    expect((await open.loadTurns(1))[0]?.input).toEqual([large]);
    const [bare] = await open.loadTurnsWithoutData(1);
    expect(bare?.input).toEqual([{ type: "image", stored: expect.objectContaining({ seq: 1, index: 0 }) }]);
    expect(await open.loadPart(bare?.input[0] as never)).toEqual(large);
  });

  it("are not waited for when the signal has aborted", async () => {
    const { open, asked } = opened({ names: ["a"], session: { ...record, removed: 1 } });
    const signal = AbortSignal.abort();
    const cancelled = { code: "cancelled" };
    await expect(open.loadTurns(1, signal)).rejects.toMatchObject(cancelled);
    await expect(open.loadTurnsWithoutData(1, signal)).rejects.toMatchObject(cancelled);
    await expect(open.loadTurnsAt([1], signal)).rejects.toMatchObject(cancelled);
    await expect(open.loadPart(large, signal)).rejects.toMatchObject(cancelled);
    await expect(open.isDeleted(1, signal)).rejects.toMatchObject(cancelled);
    await expect(open.appendTurn(turnNamed("x"), signal)).rejects.toMatchObject(cancelled);
    expect(asked).toEqual([]);
  });
});

describe("a turn that may have been deleted", () => {
  it.each([
    [1, false],
    [2, true],
    [3, false],
    [9, true],
    [0, false],
  ])("a turn that may have been deleted with the number %d is: %s", async (seq, isDeleted) => {
    const { open, turns } = opened({ names: ["a", "b", "c"], session: { ...record, removed: 1 } });
    turns.splice(1, 1);
    expect(await open.isDeleted(seq)).toBe(isDeleted);
  });

  it("is not looked for in a session from which none was deleted", async () => {
    const { open, asked } = opened({ names: ["a"] });
    expect([await open.isDeleted(1), await open.isDeleted(2)]).toEqual([false, false]);
    expect(asked).toEqual([]);
  });
});

describe("an open session", () => {
  it.each([
    [record, true],
    [{ ...record, title: "Mine", titleBy: "user" as const }, false],
    [{ ...record, title: "Said", titleBy: "message" as const }, false],
  ])("an open session of %j has given it a title by its first turn: %s", async (session, madeTitle) => {
    const { open } = opened({ session });
    expect(open.madeTitle).toBe(false);
    await open.appendTurn(turnNamed("x"));
    await open.appendTurn(turnNamed("y"));
    expect(open.madeTitle).toBe(madeTitle);
  });

  it("tells its id and the run that waits in it, and gives its lease back", () => {
    const { open, leave } = opened({ session: { ...record, waiting: "r" } });
    expect([open.sessionId, open.waitingRun, opened().open.waitingRun]).toEqual(["s", "r", undefined]);
    expect(leave).not.toHaveBeenCalled();
    open.release();
    expect(leave).toHaveBeenCalledOnce();
  });
});
