import { afterEach, describe, expect, it } from "vitest";
import { transitions, writeOrders } from "./run-writes.ts";
import type { TransitionName } from "./run-writes.ts";
import { explore } from "./test/explore-runs.ts";

afterEach(() => {
  for (const [name, { writes }] of Object.entries(transitions)) writeOrders.set(name, writes);
});

/**
 * Pairs of writes whose order the model proves: each is swapped, and breaks a promise. The slow tests of the model have those
 * whose wrong order shows late.
 */
const swaps: readonly (readonly [TransitionName, string, string])[] = [
  ["accept", "open", "record"],
  ["accept", "places", "record"],
  ["call", "effect", "done"],
  ["suspend", "waiting", "unlisted"],
  ["answer", "open", "answer"],
  ["cancel", "open", "cancel"],
  ["end", "end", "record"],
  ["settle", "ends", "unplaced"],
  ["settle", "ends", "unlisted"],
];

describe("the table of transitions", () => {
  it.each([true, false])(
    "keeps each promise in the first states that follow, if the client cancels: %j",
    (mayCancel) => {
      const { states, broken } = explore(mayCancel, { atMost: 1000 });
      expect(broken).toBeUndefined();
      expect(states).toBe(1000);
    },
  );

  it("breaks a promise if a process that wakes a run lists it without comparing", () => {
    expect(explore(false, { compares: false }).broken).toContain("has listed it after its end");
  });

  it.each(swaps)("breaks a promise if its transition %s makes %s after %s", (name, one, other) => {
    const order = [...(transitions[name].writes as readonly string[])];
    const [at, to] = [order.indexOf(one), order.indexOf(other)];
    writeOrders.set(name, order.with(at, other).with(to, one));

    expect(explore(name === "cancel").broken).toBeDefined();
  });
});
