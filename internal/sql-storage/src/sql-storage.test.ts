import { afterEach, describe, expect, it, vi } from "vitest";
import type { SqlConnection } from "./sql-connection.ts";
import { SqlStorage } from "./sql-storage.ts";

afterEach(() => {
  vi.useRealTimers();
});

describe("SqlStorage", () => {
  it("fails a ping that is not answered within a second, and frees its timer when it is", async () => {
    vi.useFakeTimers();
    const silent = new SqlStorage({ name: "The silent storage", open: async () => await new Promise(() => {}) });
    const failure = silent.ping().catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(1000);

    expect(await failure).toMatchObject({
      code: "storage_unavailable",
      message: "The silent storage did not answer within 1000 ms.",
    });
    const quick = new SqlStorage({
      name: "The quick storage",
      open: async () => ({ ping: async () => {} }) as SqlConnection,
    });
    await quick.ping();
    expect(vi.getTimerCount()).toBe(0);
  });

  it("opens nothing for a call that it refuses", async () => {
    const open = vi.fn<() => Promise<SqlConnection>>();
    const storage = new SqlStorage({ name: "The storage", open });
    const refused = [
      storage.get("", "k"),
      storage.set("ns", "k", NaN),
      storage.append("ns", "s/", null),
      storage.append("ns", "s/", 1, { ifHeld: { key: "", token: 1 } }),
      storage.compareAndSet("ns", "k", null, NaN),
      storage.list("ns", "", { limit: 0 }),
      storage.transaction([{ namespace: "ns", key: "a\0", value: 1 }]),
    ];

    for (const each of refused) await expect(each).rejects.toMatchObject({ code: "invalid_value" });
    expect(open).not.toHaveBeenCalled();
  });
});
