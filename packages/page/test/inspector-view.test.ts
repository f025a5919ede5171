import { describe, expect, it } from "vitest";
import type { RunTree, TreeStep } from "../client/inspector/run-tree.ts";
import { toTimeScale } from "../client/inspector/time-scale.ts";
import { rowsOf, targetOf } from "../client/inspector/tree-keys.ts";

function step(key: string, fields: Partial<TreeStep> = {}): TreeStep {
  return { key, kind: "model", name: key, status: "completed", attempt: 1, children: [], ...fields };
}

describe("the tree in the inspector", () => {
  const steps = [step("a", { children: [step("a/1"), step("a/2", { children: [step("a/2/x")] })] }), step("b")];

  it("goes through its steps by the arrow keys, and opens and closes them [page.tree-keys]", () => {
    const at = (current: string, closed: readonly string[] = []) => {
      const shut = new Set(closed);
      return { rows: rowsOf(steps, shut), current, closed: shut };
    };
    expect(at("a").rows.map(({ step: { key }, depth }) => `${depth} ${key}`)).toEqual([
      "0 a",
      "1 a/1",
      "1 a/2",
      "2 a/2/x",
      "0 b",
    ]);
    expect(rowsOf(steps, new Set(["a"])).map(({ step: { key } }) => key)).toEqual(["a", "b"]);
    expect(targetOf("ArrowDown", at("a/2/x"))).toEqual({ key: "b" });
    expect(targetOf("ArrowUp", at("a/1"))).toEqual({ key: "a" });
    expect(targetOf("ArrowUp", at("a"))).toBeUndefined();
    expect(targetOf("ArrowDown", at("b"))).toBeUndefined();
    expect(targetOf("Home", at("b"))).toEqual({ key: "a" });
    expect(targetOf("End", at("a"))).toEqual({ key: "b" });
    expect(targetOf("ArrowLeft", at("a/2/x"))).toEqual({ key: "a/2" });
    expect(targetOf("ArrowLeft", at("a/2"))).toEqual({ key: "a/2", open: false });
    expect(targetOf("ArrowRight", at("a", ["a"]))).toEqual({ key: "a", open: true });
    expect(targetOf("ArrowRight", at("a"))).toEqual({ key: "a/1" });
    expect(targetOf("ArrowRight", at("b"))).toBeUndefined();
    expect(targetOf("x", at("b"))).toBeUndefined();
    expect(targetOf("constructor", at("b"))).toBeUndefined();
  });
});

describe("the times in the inspector", () => {
  function tree(given: readonly TreeStep[], endMs?: number): RunTree {
    return { steps: given, attempts: [], startMs: 1000, endMs, isOver: endMs !== undefined };
  }

  it("are placed along the time of the run [page.time-scale]", () => {
    const work = [step("a", { startMs: 1000, endMs: 1500 }), step("b", { startMs: 1500, endMs: 2000 })];
    const { placeOf, pauses } = toTimeScale(tree(work, 2000), 9999);

    expect([0, 1000, 1250, 1500, 2000, 9999].map(placeOf)).toEqual([0, 0, 0.25, 0.5, 1, 1]);
    expect(pauses).toEqual([]);
  });

  it("give little room to what a run waited for long, and grow while it is under way [page.time-scale]", () => {
    const wait = step("t#w", { kind: "wait", startMs: 2000, endMs: 602_000 });
    const tool = step("t", { kind: "tool", startMs: 2000, endMs: 603_000, durationMs: 1000, children: [wait] });
    const scale = toTimeScale(tree([step("m", { startMs: 1000, endMs: 2000 }), tool], 603_000), 0);

    expect(scale.pauses).toHaveLength(1);
    expect(scale.pauses[0]?.ms).toBe(600_000);
    const places = [1000, 2000, 302_000, 602_000, 603_000].map(scale.placeOf);
    expect(places).toEqual(places.toSorted((one, other) => one - other));
    expect(places[1]).toBeCloseTo(0.47);
    expect(places[3]).toBeCloseTo(0.53);
    expect(places[4]).toBeCloseTo(1);
    expect(toTimeScale(tree([step("m", { startMs: 1000, status: "running" })]), 5000).placeOf(3000)).toBe(0.5);
  });
});
