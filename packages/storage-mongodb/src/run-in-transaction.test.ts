import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { repeatWhile } from "./run-in-transaction.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const transient = new Error("transient");
const repetition = { isTransient: (error: unknown) => error === transient, timeoutMs: 1000 };

describe("repeatWhile", () => {
  it("repeats the work until it succeeds", async () => {
    let tries = 0;
    const done = repeatWhile(async () => {
      tries += 1;
      if (tries < 4) throw transient;
      return tries;
    }, repetition);
    await vi.runAllTimersAsync();

    expect(await done).toBe(4);
  });

  it("does not repeat work that failed for good", async () => {
    const work = vi.fn<() => Promise<void>>().mockRejectedValue(new Error("broken"));

    await expect(repeatWhile(work, repetition)).rejects.toThrow("broken");
    expect(work).toHaveBeenCalledOnce();
  });

  it("gives up after its timeout, with pauses between the tries", async () => {
    const work = vi.fn<() => Promise<void>>().mockRejectedValue(transient);
    const failed = repeatWhile(work, repetition).catch((error: unknown) => error);
    await vi.runAllTimersAsync();

    expect(await failed).toBe(transient);
    expect(work.mock.calls.length).toBeGreaterThan(5);
    expect(work.mock.calls.length).toBeLessThan(200);
  });
});
