import { describe, expect, it } from "vitest";
import { resolveRetryConfig } from "./retry-config.ts";

describe("resolveRetryConfig", () => {
  it("has the defaults of the specification", () => {
    const defaults = { maxRetries: 3, initialDelayMs: 500, maxDelayMs: 10_000 };

    expect(resolveRetryConfig()).toEqual(defaults);
    expect(resolveRetryConfig({})).toEqual(defaults);
    expect(resolveRetryConfig({ maxRetries: undefined } as never)).toEqual(defaults);
  });

  it("keeps the given options", () => {
    const retryableErrors = () => true;
    const config = { maxRetries: 0, initialDelayMs: 0, maxDelayMs: 1, retryableErrors };

    expect(resolveRetryConfig(config)).toEqual(config);
  });

  it.each([
    [{ maxRetries: -1 }, "retry.maxRetries must be an integer of 0 or more, got -1."],
    [{ maxRetries: Infinity }, "retry.maxRetries must be an integer of 0 or more, got Infinity."],
    [{ maxRetries: 1.5 }, "retry.maxRetries must be an integer of 0 or more, got 1.5."],
    [{ initialDelayMs: NaN }, "retry.initialDelayMs must be a number of milliseconds from 0 to 2147483647, got NaN."],
    [{ maxDelayMs: -5 }, "retry.maxDelayMs must be a number of milliseconds from 0 to 2147483647, got -5."],
    [
      { maxDelayMs: 2 ** 31 },
      "retry.maxDelayMs must be a number of milliseconds from 0 to 2147483647, got 2147483648.",
    ],
    [{ maxDelayMs: "10s" }, "retry.maxDelayMs must be a number of milliseconds from 0 to 2147483647, got a string."],
    [{ retryableErrors: true }, "retry.retryableErrors must be a function, got true."],
    [null, "retry must be an object, got null."],
    ["often", "retry must be an object, got a string."],
  ])("rejects %o with a message that names the option", (config, sentence) => {
    expect(() => resolveRetryConfig(config as never)).toThrow(sentence);
  });
});
