import { afterAll, describe, expect, it, vi } from "vitest";

const forEver = async () => await new Promise<void>(() => undefined);

describe("a group", () => {
  it("passes", () => expect(1).toBe(1));

  it("hangs", async () => {
    vi.useFakeTimers();
    await expect(forEver()).resolves.toBeUndefined();
  });

  afterAll(forEver);
});
