import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { retryWhileBusy } from "./retry-while-busy.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const busy = Object.assign(new Error("database is locked"), { code: "ERR_SQLITE_ERROR", errcode: 5 });

describe("retryWhileBusy", () => {
  it("tries until the file is free, and returns the result", async () => {
    const attempt = vi.fn<() => number>().mockReturnValue(7);
    for (let times = 0; times < 3; times++) {
      attempt.mockImplementationOnce(() => {
        throw busy;
      });
    }
    const done = retryWhileBusy(1000, attempt);
    await vi.runAllTimersAsync();

    expect(await done).toBe(7);
    expect(attempt).toHaveBeenCalledTimes(4);
  });

  it("throws another error at once", async () => {
    const attempt = vi.fn<() => void>().mockImplementation(() => {
      throw new Error("broken");
    });

    await expect(retryWhileBusy(1000, attempt)).rejects.toThrow("broken");
    expect(attempt).toHaveBeenCalledOnce();
  });

  it("tries once without any time", async () => {
    const attempt = vi.fn<() => void>().mockImplementation(() => {
      throw busy;
    });

    await expect(retryWhileBusy(0, attempt)).rejects.toBe(busy);
    expect(attempt).toHaveBeenCalledOnce();
  });

  it("gives up when the time is over, with pauses that grow to some 25 ms", async () => {
    const tries: number[] = [];
    const failed = retryWhileBusy(1000, () => {
      tries.push(performance.now());
      throw busy;
    }).catch((error: unknown) => error);
    await vi.runAllTimersAsync();
    const pauses = tries.slice(1).map((at, index) => at - (tries[index] ?? 0));

    expect(await failed).toBe(busy);
    expect((tries.at(-1) ?? 0) - (tries[0] ?? 0)).toBeGreaterThanOrEqual(1000);
    expect((tries.at(-2) ?? 0) - (tries[0] ?? 0)).toBeLessThan(1000);
    expect(Math.max(...pauses)).toBeLessThanOrEqual(38);
    expect(Math.max(...pauses)).toBeGreaterThan(12);
    expect(pauses[0]).toBeLessThan(3);
  });
});
