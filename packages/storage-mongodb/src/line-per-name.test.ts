import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { LinePerName } from "./line-per-name.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("LinePerName", () => {
  it("lets one after the other do its work, also behind one that failed", async () => {
    const line = new LinePerName(1000);
    const done: number[] = [];
    const first = Promise.withResolvers<void>();
    const failed = line.wait("a", async () => {
      await first.promise;
      done.push(1);
      throw new Error("failed");
    });
    const second = line.wait("a", async () => done.push(2));
    const third = line.wait("a", async () => done.push(3));
    first.resolve();

    await expect(failed).rejects.toThrow("failed");
    await Promise.all([second, third]);
    expect(done).toEqual([1, 2, 3]);
  });

  it("lets those of another name pass", async () => {
    const line = new LinePerName(1000);
    void line.wait("a", async () => await new Promise<never>(() => {}));

    expect(await line.wait("b", async () => "done")).toBe("done");
  });

  it("tells those behind one that hangs, and lets nobody pass it", async () => {
    const line = new LinePerName(1000);
    const first = Promise.withResolvers<void>();
    const hanging = line.wait("a", async () => await first.promise);
    const late = line.wait("a", async () => "late").catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(1000);
    expect(await late).toMatchObject({ code: "storage_unavailable" });
    const done: string[] = [];
    const next = line.wait("a", async () => done.push("next"));
    await vi.advanceTimersByTimeAsync(500);
    expect(done).toEqual([]);
    first.resolve();

    await Promise.all([hanging, next]);
    expect(done).toEqual(["next"]);
  });
});
