import { describe, expect, it } from "vitest";
import { checkRunLimits } from "./check-run-limits.ts";

describe("checkRunLimits", () => {
  it.each([{}, { durationMs: 0.5 }, { durationMs: 2 ** 31 - 1 }, { totalTokens: 1 }, { totalTokens: undefined }])(
    "takes %o",
    (limits) => {
      expect(checkRunLimits(limits)).toBe(limits);
    },
  );

  it.each([0, -1, Number.NaN, Infinity, 2 ** 31, "1000", null, 5n])("refuses a time of %s by name", (durationMs) => {
    expect(() => checkRunLimits({ durationMs })).toThrow(
      expect.objectContaining({
        code: "invalid_config",
        message: "limits.durationMs must be a number of milliseconds above 0 and up to 2147483647.",
      }),
    );
  });

  it.each([0, -5, Number.NaN, Infinity, "many", true])("refuses %s tokens by name", (totalTokens) => {
    expect(() => checkRunLimits({ totalTokens })).toThrow("limits.totalTokens must be a number of tokens above 0");
  });

  it.each([undefined, null, 5, "1 s", []])("refuses %o in place of limits", (limits) => {
    expect(() => checkRunLimits(limits, "invalid_request")).toThrow(
      expect.objectContaining({ code: "invalid_request", message: "limits must be an object." }),
    );
  });

  it.each(["duration", "constructor", "__proto__"])("refuses the unknown limit %s", (name) => {
    expect(() => checkRunLimits(JSON.parse(`{"${name}":5}`))).toThrow("limits are durationMs and totalTokens");
  });
});
