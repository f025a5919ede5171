import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { ToolExecution } from "./tool-execution.ts";
import { contextOf } from "./test/batch.ts";
import { smallTool } from "./test/small-tool.ts";
import { ToolCache } from "./tool-cache.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe("ToolCache", () => {
  it("drops expired outcomes", () => {
    const cache = new ToolCache(1000);
    cache.set("a", { result: "1" });
    vi.advanceTimersByTime(500);
    cache.set("b", { result: "2" });
    vi.advanceTimersByTime(500);

    expect(cache.get("a")).toBeUndefined();
    expect(cache.get("b")).toEqual({ result: "2" });
    expect(cache.size).toBe(1);
    vi.advanceTimersByTime(500);
    cache.set("c", { result: "3" });
    expect(cache.size).toBe(1);
  });

  it("does not depend on the system clock", () => {
    const cache = new ToolCache(1000);
    cache.set("a", { result: "1" });
    vi.setSystemTime(Date.now() + 3_600_000);

    expect(cache.get("a")).toEqual({ result: "1" });
  });

  it("keeps a repeated outcome as long as a new one", () => {
    const cache = new ToolCache(1000);
    cache.set("a", { result: "1" });
    cache.set("b", { result: "2" });
    vi.advanceTimersByTime(900);
    cache.set("a", { result: "3" });
    vi.advanceTimersByTime(900);

    expect(cache.get("b")).toBeUndefined();
    expect(cache.get("a")).toEqual({ result: "3" });
  });

  it("shares an execution while it is under way, and not a moment longer", async () => {
    const cache = new ToolCache(1000);
    let executions = 0;
    const tool = smallTool("tool", {
      execute: async (_, { signal }) =>
        await new Promise((_resolve, reject) => {
          executions++;
          signal.addEventListener("abort", () => reject(signal.reason as Error));
        }),
    });
    const share = () =>
      cache.share(
        "key",
        () => new ToolExecution({ tool, args: {}, context: contextOf(), toolCallId: "1", idempotencyKey: "1" }),
      );
    const over = new TroupeError("cancelled", "Over.");
    const [one, other] = [share(), share()];
    expect(one).toBe(other);
    one.join()(over);
    const next = share();
    expect(next).not.toBe(one);
    // The end of the first one does not make the cache forget the second.
    await one.outcome;
    await vi.advanceTimersByTimeAsync(1);
    expect(share()).toBe(next);
    next.join()(over);

    expect(executions).toBe(2);
  });

  it("has a bounded number of entries, and keeps no failures", () => {
    const cache = new ToolCache(1000);
    for (let number = 0; number < 1000; number++) cache.set(String(number), { result: "" });
    cache.set("failed", { result: "no", error: "no" });

    expect(cache.size).toBe(256);
    expect(cache.get("failed")).toBeUndefined();
  });
});
