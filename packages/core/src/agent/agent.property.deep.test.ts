import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkRuns } from "./test/check-runs.ts";
import { playRuns } from "./test/play-runs.ts";
import { randomRuns } from "./test/random-runs.ts";

describe("ten thousand runs of an agent", () => {
  it("end once, tell what was billed, store what they say, send what vendors take, and leave nothing behind", async () => {
    let runs = 0;
    await fc.assert(
      fc.asyncProperty(randomRuns, async (given) => {
        runs += given.runs.length;
        await checkRuns(await playRuns(given));
      }),
      { numRuns: 4300 },
    );

    expect(runs).toBeGreaterThanOrEqual(10_000);
  }, 120_000);
});
