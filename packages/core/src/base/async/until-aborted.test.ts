import { getEventListeners } from "node:events";
import { describe, expect, it, vi } from "vitest";
import { untilAborted } from "./until-aborted.ts";

describe("untilAborted", () => {
  it("settles as the work does, and leaves no listener on the signal", async () => {
    const { signal } = new AbortController();

    expect(await untilAborted(async () => "done", signal)).toBe("done");
    await expect(untilAborted(() => Promise.reject(new Error("planned")), signal)).rejects.toThrow("planned");

    expect(getEventListeners(signal, "abort")).toEqual([]);
  });

  it("rejects at once when the signal aborts, and ignores how the work ends", async () => {
    const abort = new AbortController();
    let fail = () => {};
    const work = new Promise<never>((_, reject) => {
      fail = () => reject(new Error("late"));
    });
    const waiting = untilAborted(() => work, abort.signal);

    abort.abort();

    await expect(waiting).rejects.toMatchObject({ code: "cancelled" });
    fail();
    await new Promise(setImmediate);
  });

  it("does not start the work when the signal has aborted", async () => {
    const work = vi.fn<() => Promise<void>>(async () => {});

    await expect(untilAborted(work, AbortSignal.abort())).rejects.toMatchObject({ code: "cancelled" });

    expect(work).not.toHaveBeenCalled();
  });
});
