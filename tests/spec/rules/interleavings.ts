import { rulesOf } from "../rule.ts";

/** Rules for what keeps state while it waits: they hold whichever of the promises that it waits for ends first. */
export const interleavingRules = rulesOf("What the service does", {
  "async.interleavings":
    "whatever happens while something waits: each place is given back once, what was opened is closed once, nothing is left behind, and the next use is not held up",
  "async.wake-ups": "after quiet nobody waits for what has been written, and nothing that was handed over is forgotten",
});
