import type { Evidence, Invariant } from "../evidence.ts";

const mostMs = 100;

/** I12: no request holds up the others. */
export const responsiveLoop: Invariant = {
  promise: "The event loop's delay is below 100 ms (p99) during any single hostile request.",
  needs: ["processes"],
  *breaches({ processes = [] }: Evidence) {
    for (const { name, after } of processes) {
      const delayMs = after.eventLoopDelayP99Ms;
      if (delayMs >= mostMs) yield `${name} held up its event loop for ${Math.round(delayMs)} ms (p99).`;
    }
  },
};
