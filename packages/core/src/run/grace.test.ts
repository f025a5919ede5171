import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { failureOf } from "../testing/conformance/rejects-with.ts";
import { Grace } from "./grace.ts";

const forever = new Promise<void>(() => {});

describe("Grace", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("waits for work as long as it takes when nobody presses", async () => {
    const grace = new Grace();
    const work = Promise.withResolvers<void>();
    let isOver = false;
    const waited = grace.wait(work.promise).then(() => (isOver = true));
    await vi.advanceTimersByTimeAsync(3_600_000);
    expect(isOver).toBe(false);
    expect(vi.getTimerCount()).toBe(0);

    work.resolve();

    expect(await waited).toBe(true);
  });

  it("gives work five seconds from when it was first pressed", async () => {
    const grace = new Grace();
    const failure = failureOf(grace.wait(forever));
    grace.press();
    await vi.advanceTimersByTimeAsync(4000);
    grace.press();
    await vi.advanceTimersByTimeAsync(1000);

    expect(await failure).toMatchObject({ code: "timeout", message: expect.stringContaining("5 seconds") });
    expect(vi.getTimerCount()).toBe(0);
  });

  it("has nothing left for the next work once it is over, but takes what is done already", async () => {
    const grace = new Grace();
    grace.press();
    await vi.advanceTimersByTimeAsync(5000);

    await expect(grace.wait(forever)).rejects.toMatchObject({ code: "timeout" });
    await expect(grace.wait(Promise.resolve())).resolves.toBeUndefined();
    await expect(grace.wait(undefined)).resolves.toBeUndefined();
  });

  it("passes on what the work fails with", async () => {
    await expect(new Grace().wait(Promise.reject(new Error("disk full")))).rejects.toThrow("disk full");
  });

  it("leaves no timer when it is stopped, and no rejection that nobody waits for", async () => {
    const stopped = new Grace();
    stopped.press();
    stopped.stop();
    expect(vi.getTimerCount()).toBe(0);

    // An unhandled rejection would fail this file.
    new Grace().press();
    await vi.advanceTimersByTimeAsync(5000);
  });
});
