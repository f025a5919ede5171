import { describe, expect, it } from "vitest";
import { begin, job } from "./test/held-jobs.ts";

describe("many waiting jobs", () => {
  it.each([
    ["equal", () => 10],
    ["rising", (index: number) => index],
    ["falling", (index: number) => -index],
  ])("many waiting jobs with %s priorities are not all compared to find the next", async (_kind, priorityOf) => {
    const count = 4096;
    let reads = 0;
    const { engine, begun, serve, end } = begin();
    for (let index = 0; index < count; index++) {
      const counted = Object.defineProperty(job(`r${index}`), "priority", { get: () => (reads++, priorityOf(index)) });
      await engine.submit(counted);
    }
    await serve(1);
    for (let done = 0; done < 100; done++) await end(begun.at(-1)?.split("_")[0] ?? "");

    // A heap compares two jobs at most twice on each of its 12 levels. Looking at all jobs would take 800,000 reads.
    expect(begun).toHaveLength(101);
    expect(reads).toBeLessThan(2 * 4 * 12 * (count + 100));
  });

  it("many waiting jobs of one run begin in the order of their priorities, whatever begins between them", async () => {
    const { engine, begun, serve, end } = begin();
    for (const activation of [1, 2, 3, 4]) await engine.submit(job("a", { activation, priority: 10 - activation }));
    await engine.submit(job("b", { priority: 8 }));
    await serve(2);
    for (const runId of ["a", "a", "b", "a", "a"]) await end(runId);

    expect(begun).toEqual(["a_4", "b_1", "a_3", "a_2", "a_1"]);
  });
});
