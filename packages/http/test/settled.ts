import { expect, vi } from "vitest";

/** Waits until a value stops changing, and returns it. */
export async function settled(read: () => number): Promise<number> {
  let last = -1;
  await vi.waitFor(
    () => {
      const before = last;
      last = read();
      expect(last).toBe(before);
    },
    { timeout: 60_000, interval: 300 },
  );
  return last;
}
