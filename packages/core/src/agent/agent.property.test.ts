import fc from "fast-check";
import { describe, it } from "vitest";
import { checkRuns } from "./test/check-runs.ts";
import { playRuns } from "./test/play-runs.ts";
import { randomRuns } from "./test/random-runs.ts";

describe("any runs of an agent", () => {
  it("end once, tell what was billed, store what they say, send what vendors take, and leave nothing behind", async () => {
    await fc.assert(
      fc.asyncProperty(randomRuns, async (given) => {
        await checkRuns(await playRuns(given));
      }),
      { numRuns: 500 },
    );
  }, 60_000);
});
