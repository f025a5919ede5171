import fc from "fast-check";
import { describe, expect, inject, it } from "vitest";
import { checkRuns } from "./test/check-runs.ts";
import { executeRuns } from "./test/execute-runs.ts";
import { randomRuns } from "./test/random-runs.ts";

const numRuns = { few: 150, many: 4300 }[inject("trials")];

describe("any runs of an agent", () => {
  it("end once, report what was billed, store what they say, send what vendors take, and leave nothing behind", async () => {
    let runs = 0;
    await fc.assert(
      fc.asyncProperty(randomRuns, async (given) => {
        runs += given.runs.length;
        await checkRuns(await executeRuns(given));
      }),
      { numRuns },
    );

    expect(runs).toBeGreaterThanOrEqual(2 * numRuns);
  });
});
