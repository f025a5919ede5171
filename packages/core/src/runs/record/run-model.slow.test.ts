import { afterEach, describe, expect, it } from "vitest";
import { transitions, writeOrders } from "./run-writes.ts";
import type { TransitionName } from "./run-writes.ts";
import { explore } from "./test/explore-runs.ts";

afterEach(() => {
  for (const [name, { writes }] of Object.entries(transitions)) writeOrders.set(name, writes);
});

/** Pairs of writes whose wrong order breaks a promise after many states. */
const swaps: readonly (readonly [TransitionName, string, string])[] = [
  ["call", "call", "effect"],
  ["settle", "unplaced", "unlisted"],
];

describe("the table of transitions", () => {
  it.each([
    ["answers its questions", false],
    ["cancels it", true],
  ])(
    "keeps each promise of a run, wherever a process ends, with two processes, a late attempt, and a client that %s",
    (_what, mayCancel) => {
      const { states, broken } = explore(mayCancel);
      expect(broken).toBeUndefined();
      expect(states).toBeGreaterThan(10_000);
    },
  );

  it.each(swaps)("breaks a promise if its transition %s makes %s after %s", (name, one, other) => {
    const order = [...(transitions[name].writes as readonly string[])];
    const [at, to] = [order.indexOf(one), order.indexOf(other)];
    writeOrders.set(name, order.with(at, other).with(to, one));

    expect(explore(name === "cancel").broken).toBeDefined();
  });
});
