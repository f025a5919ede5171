import { getEventListeners } from "node:events";
import { assert, asyncProperty, constantFrom, double, nat } from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ModelError } from "../errors/model-error.ts";
import { TroupeError } from "../errors/troupe-error.ts";
import type { RetryConfig } from "./retry-config.ts";
import { withRetry } from "./with-retry.ts";
import type { RetryContext } from "./with-retry.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const overloaded = new ModelError({ providerId: "openai", status: 529 });

/** Lets the given failures happen one after the other, then succeeds, and tells when each attempt was made. */
async function retry(failures: unknown[], config?: Partial<RetryConfig>, context: RetryContext = { random: () => 1 }) {
  const start = Date.now();
  const attempts: number[] = [];
  const times: number[] = [];
  const outcome = withRetry(
    (attempt) => {
      attempts.push(attempt);
      times.push(Date.now() - start);
      if (attempt <= failures.length) throw failures[attempt - 1];
      return "done";
    },
    config,
    context,
  ).then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
  await vi.runAllTimersAsync();
  return { outcome: await outcome, attempts, times };
}

describe("withRetry", () => {
  it("returns the first success at once, without any configuration [retry.standalone]", async () => {
    expect(await withRetry(() => "done")).toBe("done");
    expect(await withRetry(async () => await Promise.resolve("done"), {})).toBe("done");
    expect(vi.getTimerCount()).toBe(0);
  });

  it("repeats a transient failure, and counts the attempts", async () => {
    expect(await retry([overloaded])).toEqual({ outcome: { value: "done" }, attempts: [1, 2], times: [0, 500] });
  });

  it("repeats at most 3 times by default, and throws the last failure unchanged [retry.max-retries]", async () => {
    const failures = [500, 502, 503, 529].map((status) => new ModelError({ providerId: "openai", status }));
    const { outcome, attempts } = await retry(failures);

    expect(attempts).toEqual([1, 2, 3, 4]);
    expect("error" in outcome && outcome.error).toBe(failures[3]);
  });

  it("waits up to 500 ms before the first retry, and twice as long each time [retry.initial-delay] [retry.backoff]", async () => {
    const { times } = await retry(Array.from({ length: 3 }, () => overloaded));

    expect(times).toEqual([0, 500, 1500, 3500]);
  });

  it("waits no longer than 10 s by default, whatever the vendor asks [retry.max-delay]", async () => {
    const failure = new ModelError({ providerId: "openai", status: 429, retryAfterMs: 3_600_000 });
    const { times } = await retry(
      Array.from({ length: 9 }, () => failure),
      { maxRetries: 9 },
    );

    expect(times).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map((count) => count * 10_000));
  });

  it("waits at least as long as the vendor asks", async () => {
    const failure = new ModelError({ providerId: "openai", status: 429, retryAfterMs: 2000 });

    expect((await retry([failure], {}, { random: () => 0 })).times).toEqual([0, 2000]);
    expect((await retry([failure], { initialDelayMs: 5000 })).times).toEqual([0, 5000]);
  });

  it("waits as long as each failure asks, the second too, and no longer after one that asks for nothing", async () => {
    const asking = (retryAfterMs?: number) => new ModelError({ providerId: "openai", status: 429, retryAfterMs });
    const failures = [asking(2000), asking(4000), asking(), asking(1000)];

    expect((await retry(failures, { maxRetries: 4 }, { random: () => 0 })).times).toEqual([0, 2000, 6000, 6000, 7000]);
  });

  it("draws each wait at random below its bound [retry.backoff]", async () => {
    const failures = Array.from({ length: 3 }, () => overloaded);

    expect((await retry(failures, {}, { random: () => 0.5 })).times).toEqual([0, 250, 750, 1750]);
  });

  it("passes the signal and the count to every attempt [retry.standalone]", async () => {
    const { signal } = new AbortController();
    const seen: unknown[] = [];
    const attempt = (...args: unknown[]) => {
      seen.push(args);
      if (seen.length < 3) throw overloaded;
      return "done";
    };
    const result = withRetry(attempt, { initialDelayMs: 0 }, { signal });
    await vi.advanceTimersByTimeAsync(1);

    expect(await result).toBe("done");
    expect(seen).toEqual([1, 2, 3].map((count) => [count, signal]));
  });

  it.each([400, 401, 403, 404, 422])("does not repeat after HTTP %d [retry.others]", async (status) => {
    const failure = new ModelError({ providerId: "openai", status });

    expect(await retry([failure])).toEqual({ outcome: { error: failure }, attempts: [1], times: [0] });
  });

  it("repeats when fetch could not reach the vendor, where the code is on the cause", async () => {
    const failure = new TypeError("fetch failed", { cause: Object.assign(new Error("reset"), { code: "ECONNRESET" }) });

    expect((await retry([failure])).attempts).toEqual([1, 2]);
  });

  it("decides by retryableErrors when it is given [retry.custom]", async () => {
    const plain = new Error("mine");

    expect((await retry([plain], { retryableErrors: (error) => error === plain })).attempts).toEqual([1, 2]);
    expect((await retry([overloaded], { retryableErrors: () => false })).attempts).toEqual([1]);
  });

  it("never repeats a cancelled call, whatever retryableErrors returns", async () => {
    for (const cancelled of [new TroupeError("cancelled", "Stopped."), new DOMException("stop", "AbortError")]) {
      expect((await retry([cancelled], { retryableErrors: () => true })).attempts).toEqual([1]);
    }
  });

  it("throws the failure of a retryableErrors that throws", async () => {
    const bug = new TypeError("undefined is not an object");
    const retryableErrors = () => {
      throw bug;
    };

    expect(await retry([overloaded], { retryableErrors })).toMatchObject({ outcome: { error: bug }, attempts: [1] });
  });

  it("ends at once as cancelled when it is aborted during a wait, and leaves neither timer nor listener", async () => {
    const controller = new AbortController();
    const attempts: number[] = [];
    const failure = withRetry(
      (attempt) => {
        attempts.push(attempt);
        throw overloaded;
      },
      {},
      { signal: controller.signal, random: () => 1 },
    ).catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(250);

    controller.abort("the user left");

    expect(await failure).toMatchObject({ code: "cancelled" });
    expect(attempts).toEqual([1]);
    expect(vi.getTimerCount()).toBe(0);
    expect(getEventListeners(controller.signal, "abort")).toEqual([]);
  });

  it("rejects with the signal's reason when that is a TroupeError", async () => {
    const reason = new TroupeError("limit_exceeded", "Too many tokens.");
    const controller = new AbortController();
    const context = { signal: controller.signal, random: () => 1 };
    const failure = withRetry(() => Promise.reject(overloaded), {}, context).catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(1);

    controller.abort(reason);

    expect(await failure).toBe(reason);
  });

  it("does not call the function after the signal has aborted", async () => {
    const attempt = vi.fn<() => string>();

    await expect(withRetry(attempt, {}, { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: "cancelled" });
    expect(attempt).not.toHaveBeenCalled();
  });

  it("does not repeat a failure during which the signal aborted", async () => {
    const controller = new AbortController();
    const attempts: number[] = [];
    const outcome = withRetry(
      (attempt, signal) => {
        attempts.push(attempt);
        expect(signal).toBe(controller.signal);
        controller.abort();
        throw overloaded;
      },
      {},
      { signal: controller.signal },
    );

    await expect(outcome).rejects.toBe(overloaded);
    expect(attempts).toEqual([1]);
  });

  it("leaves no listener on the signal after many retries", async () => {
    const { signal } = new AbortController();

    await retry(
      Array.from({ length: 50 }, () => overloaded),
      { maxRetries: 50 },
      { signal },
    );

    expect(getEventListeners(signal, "abort")).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("makes one attempt more than there are failures, up to its bound, each after a wait within the bounds", async () => {
    await assert(
      asyncProperty(
        nat(6),
        nat(6),
        nat(30_000),
        constantFrom(0, 1, 500),
        double({ min: 0, max: 0.999, noNaN: true }),
        async (...drawn) => {
          const [failures, maxRetries, retryAfterMs, initialDelayMs, random] = drawn;
          const failure = new ModelError({ providerId: "openai", status: 429, retryAfterMs });
          const { times } = await retry(
            Array.from({ length: failures }, () => failure),
            { maxRetries, initialDelayMs },
            { random: () => random },
          );

          expect(times).toHaveLength(Math.min(failures, maxRetries) + 1);
          for (const [index, time] of times.slice(1).entries()) {
            const waited = time - (times[index] ?? 0);
            expect(waited).toBeGreaterThanOrEqual(Math.min(retryAfterMs, 10_000));
            expect(waited).toBeLessThanOrEqual(10_000);
          }
        },
      ),
      { numRuns: 50 },
    );
  });

  it("rejects a value that is no function, and a wrong configuration, before any call", async () => {
    const attempt = vi.fn<() => string>();

    await expect(withRetry("text" as never)).rejects.toThrow("fn must be a function, got a string.");
    await expect(withRetry(attempt, { maxDelayMs: NaN })).rejects.toThrow("retry.maxDelayMs must be");
    expect(attempt).not.toHaveBeenCalled();
  });
});
