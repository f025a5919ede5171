import { describe, expect, it, vi } from "vitest";
import { LazyConnection } from "./lazy-connection.ts";

/** A connection that says how often it was opened and closed, and whose opening can be made to fail. */
function counted() {
  const counts = { opened: 0, closed: 0 };
  const open = vi.fn<() => Promise<{ close(): Promise<void> }>>(async () => {
    counts.opened += 1;
    return {
      close: async () => {
        counts.closed += 1;
      },
    };
  });
  return { counts, open, lazy: new LazyConnection("The test's storage", open) };
}

describe("LazyConnection", () => {
  it("opens once for uses at the same time", async () => {
    const { counts, lazy } = counted();
    await Promise.all(Array.from({ length: 5 }, async () => await lazy.use(async () => {})));

    expect(counts.opened).toBe(1);
  });

  it("opens anew after an opening that failed", async () => {
    const { counts, open, lazy } = counted();
    open.mockRejectedValueOnce(new Error("not now"));
    const first = await Promise.allSettled([lazy.use(async () => 1), lazy.use(async () => 2)]);

    expect(first.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    await expect(lazy.use(async () => 3)).resolves.toBe(3);
    expect(counts.opened).toBe(1);
  });

  it("closes when the last use has ended, however it ended", async () => {
    const { counts, lazy } = counted();
    const { promise, reject } = Promise.withResolvers<void>();
    const use = lazy.use(async () => await promise);
    const closed = lazy.close();
    await lazy.use(async () => {}).catch(() => {});
    expect(counts.closed).toBe(0);
    reject(new Error("failed"));

    await expect(use).rejects.toThrow("failed");
    await closed;
    expect(counts.closed).toBe(1);
  });

  it("closes while it is being opened, and when that fails", async () => {
    const { counts, lazy } = counted();
    const use = lazy.use(async () => {});
    await lazy.close();
    await use;
    expect(counts).toEqual({ opened: 1, closed: 1 });

    const failing = new LazyConnection("The test's storage", async () => await Promise.reject(new Error("not now")));
    const failed = failing.use(async () => {});
    await expect(failing.close()).resolves.toBeUndefined();
    await expect(failed).rejects.toThrow("not now");
  });

  it("closes once, never opens for it, and refuses uses from then on", async () => {
    const { counts, lazy } = counted();
    await Promise.all([lazy.close(), lazy.close()]);

    expect(counts).toEqual({ opened: 0, closed: 0 });
    await expect(lazy.use(async () => {})).rejects.toMatchObject({
      code: "storage_unavailable",
      message: "The test's storage has been closed.",
    });
  });
});
