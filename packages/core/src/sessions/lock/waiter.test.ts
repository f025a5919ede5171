import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import type { JoinOptions } from "./busy-policy.ts";
import { Waiter } from "./waiter.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  const timers = vi.getTimerCount();
  vi.useRealTimers();
  if (timers > 0) throw new Error(`${timers} timers were left behind.`);
});

function waiterOf(more: Partial<JoinOptions> = {}, number?: number) {
  const onLeave = vi.fn<() => void>();
  return { onLeave, waiter: new Waiter({ onBusy: "enqueue", maxWaiting: 1, waitMs: 500, ...more }, onLeave, number) };
}

describe("a run that waits for a session", () => {
  it("begins as new, with its number and options", () => {
    const { waiter } = waiterOf({}, 7);
    expect(waiter).toMatchObject({ number: 7, state: "new", hadToWait: false, forgetsQueue: false });
    expect(waiter.options).toEqual({ onBusy: "enqueue", maxWaiting: 1, waitMs: 500 });
    expect(waiterOf().waiter.number).toBe(0);
  });

  it("is refused after its time, and not before", async () => {
    const { waiter, onLeave } = waiterOf();
    waiter.wait();
    vi.advanceTimersByTime(499);
    expect(onLeave).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(onLeave).toHaveBeenCalledOnce();
    await expect(waiter.granted).rejects.toMatchObject({
      code: "conflict",
      message: expect.stringContaining("500 ms"),
    });
  });

  it.each([
    [undefined, { code: "cancelled" }],
    [new DOMException("Late.", "TimeoutError"), { code: "timeout" }],
    [new TroupeError("unavailable", "Gone."), { code: "unavailable", message: "Gone." }],
  ])("%# is refused with the reason of its signal", async (reason, error) => {
    const abort = new AbortController();
    const { waiter, onLeave } = waiterOf({ signal: abort.signal });
    waiter.wait();
    abort.abort(reason);
    await expect(waiter.granted).rejects.toMatchObject(error);
    expect(onLeave).toHaveBeenCalledOnce();
  });

  it("gets the lease, and then neither its time nor its signal ends it", async () => {
    const abort = new AbortController();
    const { waiter, onLeave } = waiterOf({ signal: abort.signal });
    waiter.wait();
    waiter.hadToWait = true;
    const confirm = vi.fn<() => Promise<void>>();
    waiter.grant({ appendOptions: { ifHeld: { key: "k", token: 3 } }, confirm });
    expect(vi.getTimerCount()).toBe(0);
    abort.abort();
    const lease = await waiter.granted;
    expect([waiter.state, lease.hadToWait, lease.appendOptions]).toEqual([
      "holding",
      true,
      { ifHeld: { key: "k", token: 3 } },
    ]);
    await lease.confirm();
    expect(confirm).toHaveBeenCalledOnce();
    expect(onLeave).not.toHaveBeenCalled();
    lease.forget();
    lease.release();
    expect(waiter.forgetsQueue).toBe(true);
    expect(onLeave).toHaveBeenCalledOnce();
  });

  it("lets its signal go, whatever its outcome", () => {
    for (const end of ["grant", "leave"] as const) {
      const { signal } = new AbortController();
      const removed = vi.spyOn(signal, "removeEventListener");
      const added = vi.spyOn(signal, "addEventListener");
      const { waiter } = waiterOf({ signal });
      waiter.wait();
      waiter[end]();
      expect(removed.mock.calls).toEqual([["abort", added.mock.calls[0]?.[1]]]);
    }
  });

  it("is cancelled when it leaves before, and then leaves again without another outcome", async () => {
    const { waiter, onLeave } = waiterOf();
    waiter.wait();
    waiter.leave();
    waiter.leave();
    await expect(waiter.granted).rejects.toMatchObject({
      code: "cancelled",
      message: "The run left the queue for its session.",
    });
    expect(onLeave).toHaveBeenCalledTimes(2);
  });

  it("holds no lease that was taken from it", async () => {
    const { waiter, onLeave } = waiterOf();
    waiter.revoke();
    expect(onLeave).not.toHaveBeenCalled();
    waiter.grant();
    const lease = await waiter.granted;
    waiter.revoke();
    await expect(lease.confirm()).rejects.toMatchObject({ code: "conflict" });
    expect(onLeave).toHaveBeenCalledOnce();
  });
});

describe("the queue of a run that waits", () => {
  it.each([
    ["is marked so", (waiter: Waiter) => waiter.markKnown()],
    ["refuses the run", (waiter: Waiter) => waiter.refuse(new Error("full"))],
    ["is left", (waiter: Waiter) => waiter.leave()],
  ])("is known when it %s, to those who asked before and after", async (_title, end) => {
    const { waiter } = waiterOf();
    const known = vi.fn<() => void>();
    const [before, again] = [waiter.known, waiter.known];
    void before.then(known);
    await vi.advanceTimersByTimeAsync(0);
    expect(known).not.toHaveBeenCalled();
    end(waiter);
    await Promise.all([before, again, waiter.known]);
    expect(known).toHaveBeenCalledOnce();
  });

  it("is not known by a lease alone", async () => {
    const { waiter } = waiterOf();
    const known = vi.fn<() => void>();
    void waiter.known.then(known);
    waiter.grant();
    await vi.advanceTimersByTimeAsync(0);
    expect(known).not.toHaveBeenCalled();
  });
});
