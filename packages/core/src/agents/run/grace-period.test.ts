import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { failureOf } from "../../testing/conformance/assert.ts";
import { GracePeriod } from "./grace-period.ts";

const forever = new Promise<void>(() => {});

describe("GracePeriod", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("waits for work without limit until it is started", async () => {
    const grace = new GracePeriod();
    const work = Promise.withResolvers<void>();
    let isOver = false;
    const waited = grace.wait(work.promise).then(() => (isOver = true));
    await vi.advanceTimersByTimeAsync(3_600_000);
    expect(isOver).toBe(false);
    expect(vi.getTimerCount()).toBe(0);

    work.resolve();

    expect(await waited).toBe(true);
  });

  it("gives work five seconds from its first start", async () => {
    const grace = new GracePeriod();
    const failure = failureOf(grace.wait(forever));
    grace.start();
    await vi.advanceTimersByTimeAsync(4000);
    grace.start();
    expect(vi.getTimerCount()).toBe(1);
    await vi.advanceTimersByTimeAsync(999);
    expect(vi.getTimerCount()).toBe(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(vi.getTimerCount()).toBe(0);

    expect(await failure).toMatchObject({ code: "timeout", message: "The end of a run took longer than 5 seconds." });
  });

  it("rejects further work once it is over, except work that is done already", async () => {
    const grace = new GracePeriod();
    grace.start();
    await vi.advanceTimersByTimeAsync(5000);

    await expect(grace.wait(forever)).rejects.toMatchObject({ code: "timeout" });
    await expect(grace.wait(Promise.resolve())).resolves.toBeUndefined();
  });

  it("rejects all that is waited for when it is over", async () => {
    const grace = new GracePeriod();
    const failures = [failureOf(grace.wait(forever)), failureOf(grace.wait(forever))];
    grace.start();
    await vi.advanceTimersByTimeAsync(5000);

    expect(await Promise.all(failures)).toMatchObject([{ code: "timeout" }, { code: "timeout" }]);
  });

  it("leaves no unhandled rejection where the work was done before it is over", async () => {
    const grace = new GracePeriod();
    grace.start();
    await grace.wait(Promise.resolve());
    await vi.advanceTimersByTimeAsync(5000);

    expect(vi.getTimerCount()).toBe(0);
  });

  it("rejects with the failure of the work", async () => {
    await expect(new GracePeriod().wait(Promise.reject(new Error("disk full")))).rejects.toThrow("disk full");
  });

  it("leaves no timer when it is stopped, and no unhandled rejection", async () => {
    const stopped = new GracePeriod();
    stopped.start();
    stopped.stop();
    expect(vi.getTimerCount()).toBe(0);

    // An unhandled rejection would fail this file.
    new GracePeriod().start();
    await vi.advanceTimersByTimeAsync(5000);
  });
});
