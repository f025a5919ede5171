import { InMemoryStorage } from "@troupe/core";
import fc from "fast-check";
import { describe, expect, inject, it } from "vitest";
import { judge } from "./judge.ts";
import { play, playTwice } from "./play.ts";
import type { Outcome } from "./play.ts";
import { scenes } from "./scenes.ts";

/** Small runs, in which each kind of step comes. */
const small = [
  "an agent with a tool of effect once",
  "an agent with parallel tools",
  "an approval",
  "a workflow",
] as const;

const turn = fc.tuple(fc.constantFrom(0 as const, 1 as const), fc.integer({ min: 1, max: 6 }));
const turns = fc.array(turn, { minLength: 4, maxLength: 24 });

describe("two processes that perform the same durable run at the same time", () => {
  it.each(small)("end it once, in whatever order they come to the storage: %s [run-log.fence]", async (name) => {
    const scene = scenes[name];
    if (scene === undefined) throw new Error(`No scene ${name}`);
    const storage = new InMemoryStorage();
    const whole: Outcome = await play(scene, { open: () => storage });
    const property = fc.asyncProperty(turns, async (order) => judge(scene, await playTwice(scene, order), whole));
    const checked = fc.assert(property, { numRuns: inject("trials") === "many" ? 20 : 2, timeout: 60_000 });

    await expect(checked).resolves.toBeUndefined();
  });
});
