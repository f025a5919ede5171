import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { Handoff } from "./handoff.ts";

type Item = { n: number };

describe("Handoff", () => {
  it("hands over in order, and lets the giver go on when its thing was taken", async () => {
    const handoff = new Handoff<Item>();
    const taken: number[] = [];
    for (const n of [1, 2]) void handoff.give({ n }).then(() => taken.push(n));
    await nextTurn();
    expect(taken).toEqual([]);

    expect(await handoff.take()).toEqual({ n: 1 });
    await nextTurn();
    expect(taken).toEqual([1]);
    expect(await handoff.take()).toEqual({ n: 2 });
  });

  it("gives to those who wait, first come first served", async () => {
    const handoff = new Handoff<Item>();
    const takers = [handoff.take(), handoff.take()];
    await Promise.all([handoff.give({ n: 1 }), handoff.give({ n: 2 })]);

    expect(await Promise.all(takers)).toEqual([{ n: 1 }, { n: 2 }]);
  });

  it("holds nobody once it is closed, and still has what was given before", async () => {
    const handoff = new Handoff<Item>();
    const given = handoff.give({ n: 1 });
    handoff.close();
    await given;
    await handoff.give({ n: 2 });

    expect([await handoff.take(), await handoff.take()]).toEqual([{ n: 1 }, undefined]);
  });

  it("tells those who wait when there will be nothing more", async () => {
    const handoff = new Handoff<Item>();
    const waiting = handoff.take();
    handoff.close();

    expect(await waiting).toBeUndefined();
  });
});
