import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, vi } from "vitest";
import { inTime, until, withPatience } from "./assert.ts";

describe("the patience of a conformance case", () => {
  it("does not end while other processes keep the case from the processor, however long", async () => {
    const now = performance.now.bind(performance);
    let stolenMs = 0;
    const clock = vi.spyOn(performance, "now").mockImplementation(() => now() + stolenMs);
    try {
      let isDone = false;
      const waiting = [inTime(sleep(300, "done")), until(() => isDone)];
      stolenMs = 3_600_000;
      const [first] = await Promise.all([waiting[0], sleep(300).then(() => (isDone = true)), waiting[1]]);

      expect(first).toBe("done");
    } finally {
      clock.mockRestore();
    }
  });

  it("ends when the event loop was idle for its time", async () => {
    await expect(inTime(new Promise(() => undefined), 50)).rejects.toThrow("this took longer than 50 ms");
    await expect(until(() => false, 50)).rejects.toThrow("the condition did not hold within 50 ms");
  });

  it("is a share of the usual time for a case that is run so, and the whole time for others meanwhile", async () => {
    let isDone = false;
    const hanging = withPatience(0.1, async () => await inTime(new Promise(() => undefined), 500));
    const others = [inTime(sleep(300, "done"), 500), until(() => isDone, 500)];
    await expect(hanging).rejects.toThrow("this took longer than 50 ms");
    await expect(withPatience(0.1, async () => await until(() => false, 500))).rejects.toThrow("within 50 ms");
    isDone = true;

    expect(await Promise.all(others)).toEqual(["done", undefined]);
  });
});
