import { RunWriteRecorder } from "@troupe/core/testing";
import fc from "fast-check";
import { describe, inject, it } from "vitest";
import { checkOutcome } from "./check-outcome.ts";
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

/** An answer comes through one process while the other one, which overtook it, lets the run wait. */
const answeredByOvertaken: [0 | 1, number][] = [
  [1, 3],
  [0, 6],
  [1, 9],
  [0, 3],
  [1, 15],
];

describe("two processes that perform the same durable run at the same time", () => {
  it.each(small)("end it once, in whatever order they come to the storage: %s [run-log.fence]", async (name) => {
    const scene = scenes[name];
    if (scene === undefined) throw new Error(`No scene ${name}`);
    const recorder = new RunWriteRecorder();
    const storage = recorder.memory();
    const whole: Outcome = await play(scene, { recorder, open: () => storage });
    const property = fc.asyncProperty(turns, async (order) =>
      checkOutcome(scene, await playTwice(scene, order), whole),
    );
    const numRuns = inject("trials") === "many" ? 20 : 2;
    // A run that hangs is shown as it is: each smaller order that hangs as well would take a minute more.
    // Awaited as it is, so that its message shows the order: an assertion on the promise cuts it short.
    await fc.assert(property, { numRuns, timeout: 60_000, examples: [[answeredByOvertaken]], endOnFailure: true });
  });
});
