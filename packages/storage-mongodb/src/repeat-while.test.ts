import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { repeatWhile } from "./repeat-while.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const passing = new Error("passing");
const repetition = { isPassing: (error: unknown) => error === passing, timeoutMs: 1000 };

describe("repeatWhile", () => {
  it("does the work again until nobody is in its way", async () => {
    let tries = 0;
    const done = repeatWhile(async () => {
      tries += 1;
      if (tries < 4) throw passing;
      return tries;
    }, repetition);
    await vi.runAllTimersAsync();

    expect(await done).toBe(4);
  });

  it("does not repeat what failed for good", async () => {
    const work = vi.fn<() => Promise<void>>().mockRejectedValue(new Error("broken"));

    await expect(repeatWhile(work, repetition)).rejects.toThrow("broken");
    expect(work).toHaveBeenCalledOnce();
  });

  it("gives up in time, with pauses between that keep it from spinning", async () => {
    const work = vi.fn<() => Promise<void>>().mockRejectedValue(passing);
    const failed = repeatWhile(work, repetition).catch((error: unknown) => error);
    await vi.runAllTimersAsync();

    expect(await failed).toBe(passing);
    expect(work.mock.calls.length).toBeGreaterThan(5);
    expect(work.mock.calls.length).toBeLessThan(200);
  });
});
