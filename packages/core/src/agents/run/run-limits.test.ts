import { describe, expect, it } from "vitest";
import { runLimitsOption } from "./run-limits.ts";

const read = (limits: unknown, where = {}) => runLimitsOption(limits, "limits", where);

describe("runLimitsOption", () => {
  it.each([{}, { durationMs: 0.5 }, { durationMs: 2 ** 31 - 1 }, { totalTokens: 1 }, { totalTokens: undefined }])(
    "takes %o",
    (limits) => {
      expect(read(limits)).toEqual(limits);
    },
  );

  it.each([0, -1, Number.NaN, Infinity, 2 ** 31, "1000", null, 5n])(
    "rejects a duration of %s by name",
    (durationMs) => {
      expect(() => read({ durationMs })).toThrow(
        expect.objectContaining({
          code: "invalid_config",
          message: expect.stringMatching(/^limits\.durationMs must be a positive number up to 2147483647, got /),
        }),
      );
    },
  );

  it.each([0, -5, Number.NaN, Infinity, "many", true])("rejects %s tokens by name", (totalTokens) => {
    expect(() => read({ totalTokens })).toThrow("limits.totalTokens must be a positive number");
  });

  it.each([undefined, null, 5, "1 s", []])("rejects %o in place of limits", (limits) => {
    expect(() => read(limits, { code: "invalid_request" })).toThrow(
      expect.objectContaining({
        code: "invalid_request",
        message: expect.stringMatching(/^limits must be an object, got /),
      }),
    );
  });

  it.each(["duration", "constructor", "__proto__"])("rejects the unknown limit %s", (name) => {
    expect(() => read(JSON.parse(`{"${name}":5}`))).toThrow(
      `Unknown option "${name}" of limits. Expected durationMs or totalTokens.`,
    );
  });
});
