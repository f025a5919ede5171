import { describe, expect, it, vi } from "vitest";
import { drainReply } from "./reply.ts";

describe("drainReply", () => {
  it("reads to the end", async () => {
    const left = ["a", "b"];
    const next = async () => ({ done: left.length === 0, value: left.shift() });

    await drainReply({ next });

    expect(left).toEqual([]);
  });

  it("ignores a failure", async () => {
    await expect(drainReply({ next: () => Promise.reject(new Error("reset")) })).resolves.toBeUndefined();
  });

  it("stops waiting for a server that neither sends nor ends", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    let end: (() => void) | undefined;
    const bytes = {
      next: () => new Promise<IteratorResult<unknown>>((resolve) => (end = () => resolve({ done: true, value: 0 }))),
      return: async () => {
        end?.();
        return { done: true as const, value: undefined };
      },
    };

    const reading = drainReply(bytes);
    // In false time the process is never idle.
    await vi.advanceTimersByTimeAsync(5000);

    await expect(reading).resolves.toBeUndefined();
    vi.useRealTimers();
  });
});
