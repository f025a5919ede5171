import { describe, expect, it, vi } from "vitest";
import { readToEnd } from "./reply.ts";

describe("readToEnd", () => {
  it("reads until nothing more comes", async () => {
    const left = ["a", "b"];
    const next = async () => ({ done: left.length === 0, value: left.shift() });

    await readToEnd({ next });

    expect(left).toEqual([]);
  });

  it("does not mind a failure: the answer had come by then", async () => {
    await expect(readToEnd({ next: () => Promise.reject(new Error("reset")) })).resolves.toBeUndefined();
  });

  it("gives up on a server that neither speaks nor ends", async () => {
    vi.useFakeTimers();
    let end: (() => void) | undefined;
    const bytes = {
      next: () => new Promise<IteratorResult<unknown>>((resolve) => (end = () => resolve({ done: true, value: 0 }))),
      return: async () => {
        end?.();
        return { done: true as const, value: undefined };
      },
    };

    const reading = readToEnd(bytes);
    await vi.advanceTimersByTimeAsync(1000);

    await expect(reading).resolves.toBeUndefined();
    vi.useRealTimers();
  });
});
