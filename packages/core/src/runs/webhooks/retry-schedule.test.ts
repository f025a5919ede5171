import { describe, expect, it } from "vitest";
import { isGivenUp, isHeld, leaseUntil, nextAttemptAt } from "./retry-schedule.ts";

const day = 86_400_000;
const now = 1_000_000_000;

describe("the next attempt at a delivery", () => {
  it.each([
    [{ attempts: 1 }, 10_000],
    [{ attempts: 2 }, 20_000],
    [{ attempts: 9 }, 2_560_000],
    [{ attempts: 10 }, 3_600_000],
    [{ attempts: 5000 }, 3_600_000],
    [{ attempts: 1, firstMs: 1 }, 1],
    [{ attempts: 3, firstMs: 100 }, 400],
    // The receiver asks for a pause: it is not doubled, and shortens no other.
    [{ attempts: 1, waitMs: 60_000 }, 60_000],
    [{ attempts: 3, waitMs: 60_000 }, 60_000],
    [{ attempts: 4, waitMs: 60_000 }, 80_000],
    [{ attempts: 1, waitMs: 9999 }, 10_000],
    [{ attempts: 1, waitMs: day }, 3_600_000],
  ])("the next attempt after %j comes in %i ms to a quarter later", (failed, pause) => {
    for (let round = 0; round < 50; round++) {
      const at = nextAttemptAt({ since: now, ...failed }, now);
      expect(Number.isInteger(at)).toBe(true);
      expect(at - now).toBeGreaterThanOrEqual(pause);
      expect(at - now).toBeLessThanOrEqual(pause * 1.25);
    }
  });

  it.each([
    [day - 5000, 5000],
    [day - 1, 1],
    [day, 1],
    [2 * day, 1],
  ])("is the last one, if %i ms have passed since the first: in %i ms", (passed, pause) => {
    expect(nextAttemptAt({ since: now - passed, attempts: 30 }, now)).toBe(now + pause);
    expect(isGivenUp(now - passed, now)).toBe(passed >= day);
  });
});

describe("the lease of a delivery", () => {
  it.each([
    [{ until: now - 1 }, false],
    [{ until: now }, false],
    [{ until: now + 1 }, true],
    [{ until: now + 1, at: now - 10 }, true],
  ])("%j is held: %j", (lease, expected) => {
    expect(isHeld({ token: "t", ...lease }, now)).toBe(expected);
  });

  it("is over if its process is gone: the only process began after it", () => {
    const lease = { token: "t", at: 5, until: now + 1 };
    expect([4, 5, 6].map((aloneSince) => isHeld(lease, now, aloneSince))).toEqual([true, true, false]);
    expect(isHeld({ token: "t", until: now + 1 }, now, Infinity)).toBe(true);
  });

  it("lasts longer than the request", () => {
    expect(leaseUntil(now, 5000)).toBeGreaterThan(now + 5000);
  });
});
