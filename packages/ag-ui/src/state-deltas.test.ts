import type { RunEvent } from "@troupe/core/runs";
import { describe, expect, it } from "vitest";
import { StateDeltas } from "./state-deltas.ts";

const plannedSteps = [
  { name: "a/b. é", kind: "forEach" },
  { name: "again", kind: "loop" },
] as const;
const key = "w/a%2Fb%2E%20%C3%A9";
const done = (step: string, value: unknown) =>
  ({ type: "done", id: "1.0", step, value: { value }, durationMs: 1 }) as RunEvent;
const item = (index: number, value: unknown, at = key) => done(`${at}/${index}`, { item: value });

/** The list that a client has after these events, by the operations that it has received. */
function listAfter(...events: RunEvent[]): unknown {
  const deltas = new StateDeltas({ plannedSteps });
  let list: unknown[] | undefined;
  for (const { path, value } of events.flatMap((event) => deltas.take(event))) {
    const [, name, place] = path.split("/");
    expect(name).toBe("a~1b. é");
    if (place === undefined) list = [...(value as unknown[])];
    else list?.splice(Number(place), 0, value);
  }
  return list;
}

describe("the items of a forEach in the deltas of the state", () => {
  it.each([[[0, 1, 2]], [[2, 1, 0]], [[1, 2, 0]], [[10, 9, 2]]])(
    "are in the order of the items though they end in the order %j [ag-ui.state]",
    (order) => {
      const values = order.map((index) => `é${index}`);
      const sorted = order.toSorted((one, other) => one - other).map((index) => `é${index}`);

      expect(listAfter(done(key, order), ...order.map((index, at) => item(index, values[at])))).toEqual(sorted);
    },
  );

  it("have what agents and functions give, and no failure", () => {
    const failed = { ...item(1, "x"), value: { error: { code: "internal" } } } as RunEvent;
    const ofAgent = done(`${key}/2/r1`, { partial: { "a/b. é": "ja" }, text: "ja" });

    expect(listAfter(done(key, [1, 2, 3, 4]), item(0, { n: 1 }), failed, ofAgent, done(`${key}/3`, {}))).toEqual([
      { n: 1 },
      "ja",
      null,
    ]);
  });

  it("begin anew in each round of a loop, and are inserted once", () => {
    const [first, second] = [`w/again/0/${key}`, `w/again/1/${key}`];

    expect(listAfter(done(first, [1]), item(0, "x", first), done(second, [1]), item(0, "y", second))).toEqual(["y"]);
    expect(listAfter(done(key, [1]), item(0, "x"), item(0, "x"))).toEqual(["x"]);
  });

  it("are none within an item, before their beginning, or of another step", () => {
    const within = `${key}/0/${key}`;

    expect(listAfter(done(within, [1]), item(0, "x", within), item(0, "x"), done("w/other/0", { item: 1 }))).toBe(
      undefined,
    );
  });
});
