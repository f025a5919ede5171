import { assert, double, integer, nat, property } from "fast-check";
import { describe, expect, it } from "vitest";
import { ModelError } from "../errors/model-error.ts";
import { askedDelay, backoffDelay } from "./with-retry.ts";

describe("askedDelay", () => {
  it("reads the wait from the error, else from the headers of its response", () => {
    const headers = new Headers({ "retry-after": "3" });

    expect(askedDelay(new ModelError({ providerId: "openai", status: 429, retryAfterMs: 2000 }))).toBe(2000);
    expect(askedDelay({ headers })).toBe(3000);
    expect(askedDelay({ retryAfterMs: 2000, headers })).toBe(2000);
  });

  it.each([
    undefined,
    null,
    "text",
    {},
    { retryAfterMs: NaN },
    { retryAfterMs: -1 },
    { retryAfterMs: "5" },
    { headers: {} },
    { headers: new Headers() },
  ])("is 0 for a failure that asks for nothing: %o", (error) => {
    expect(askedDelay(error)).toBe(0);
  });
});

const defaults = { initialDelayMs: 500, maxDelayMs: 10_000 };
const highest = () => 1;

describe("backoffDelay", () => {
  it("doubles its bound with each retry, up to the largest delay [retry.backoff]", () => {
    expect([0, 1, 2, 3, 4, 5, 6].map((retry) => backoffDelay(retry, defaults, highest))).toEqual([
      500, 1000, 2000, 4000, 8000, 10_000, 10_000,
    ]);
  });

  it("draws from the whole span below the bound", () => {
    expect(backoffDelay(2, defaults, () => 0)).toBe(0);
    expect(backoffDelay(2, defaults, () => 0.25)).toBe(500);
    const drawn = Array.from({ length: 1000 }, () => backoffDelay(0, defaults));

    expect(Math.min(...drawn)).toBeLessThan(50);
    expect(Math.max(...drawn)).toBeGreaterThan(450);
  });

  it("stays between 0 and both bounds for any retry and config", () => {
    const ms = nat(2 ** 31 - 1);

    assert(
      property(
        integer({ min: 0, max: 5000 }),
        ms,
        ms,
        double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
        (...drawn) => {
          const [retry, initialDelayMs, maxDelayMs, random] = drawn;
          const delay = backoffDelay(retry, { initialDelayMs, maxDelayMs }, () => random);

          expect(delay).toBeGreaterThanOrEqual(0);
          expect(delay).toBeLessThanOrEqual(Math.min(maxDelayMs, initialDelayMs * 2 ** retry || 0));
        },
      ),
    );
  });
});
