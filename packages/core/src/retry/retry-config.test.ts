import { describe, expect, it } from "vitest";
import { resolveRetryConfig } from "./retry-config.ts";

describe("resolveRetryConfig", () => {
  it("has the specification's defaults", () => {
    const defaults = { maxRetries: 3, initialDelayMs: 500, maxDelayMs: 10_000 };

    expect(resolveRetryConfig()).toEqual(defaults);
    expect(resolveRetryConfig({})).toEqual(defaults);
    expect(resolveRetryConfig({ maxRetries: undefined } as never)).toEqual(defaults);
  });

  it("takes over what is given", () => {
    const retryableErrors = () => true;
    const config = { maxRetries: 0, initialDelayMs: 0, maxDelayMs: 1, retryableErrors };

    expect(resolveRetryConfig(config)).toEqual(config);
  });

  it.each([
    [{ maxRetries: -1 }, "retry.maxRetries must be a whole number from 0 upwards, but it is -1."],
    [{ maxRetries: Infinity }, "retry.maxRetries must be a whole number from 0 upwards, but it is Infinity."],
    [{ maxRetries: 1.5 }, "retry.maxRetries must be a whole number from 0 upwards, but it is 1.5."],
    [
      { initialDelayMs: NaN },
      "retry.initialDelayMs must be a number of milliseconds from 0 to 2147483647, but it is NaN.",
    ],
    [{ maxDelayMs: -5 }, "retry.maxDelayMs must be a number of milliseconds from 0 to 2147483647, but it is -5."],
    [
      { maxDelayMs: 2 ** 31 },
      "retry.maxDelayMs must be a number of milliseconds from 0 to 2147483647, but it is 2147483648.",
    ],
    [
      { maxDelayMs: "10s" },
      "retry.maxDelayMs must be a number of milliseconds from 0 to 2147483647, but it is a string.",
    ],
    [{ retryableErrors: true }, "retry.retryableErrors must be a function, but it is true."],
    [null, "retry must be an object, but it is null."],
    ["often", "retry must be an object, but it is a string."],
  ])("refuses %o in a sentence that names the option", (config, sentence) => {
    expect(() => resolveRetryConfig(config as never)).toThrow(sentence);
  });
});
