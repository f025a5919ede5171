import { describe, expect, it } from "vitest";
import { checkCount, checkDuration, wrongOption } from "./check-option.ts";
import { TroupeError } from "./troupe-error.ts";

describe("checkDuration", () => {
  it.each([0, 0.5, 1, 60_000, 2_147_483_647])("takes %d", (ms) => {
    expect(checkDuration(ms, "timeoutMs")).toBe(ms);
  });

  it.each([
    [NaN, "NaN"],
    [Infinity, "Infinity"],
    [-1, "-1"],
    [2_147_483_648, "2147483648"],
    ["5000", "a string"],
    [null, "null"],
    [undefined, "undefined"],
    [5n, "a bigint"],
    [[5], "a list"],
    [{}, "an object"],
  ])("refuses %s in a sentence that names the option", (value, shown) => {
    expect(() => checkDuration(value, "timeoutMs")).toThrow(
      new TroupeError(
        "invalid_config",
        `timeoutMs must be a number of milliseconds from 0 to 2147483647, but it is ${shown}.`,
      ),
    );
  });
});

describe("checkCount", () => {
  it("takes whole numbers from the least one upwards", () => {
    expect(checkCount(0, "maxRetries")).toBe(0);
    expect(checkCount(7, "maxRetries", 7)).toBe(7);
  });

  it.each([-1, 0.5, NaN, Infinity, 2 ** 53, "3", null, undefined])("refuses %s", (value) => {
    expect(() => checkCount(value, "maxRetries")).toThrow(
      /^maxRetries must be a whole number from 0 upwards, but it is/,
    );
  });

  it("refuses less than the least", () => {
    expect(() => checkCount(0, "maxFiles", 1)).toThrow("maxFiles must be a whole number from 1 upwards, but it is 0.");
  });
});

describe("wrongOption", () => {
  it("does not show a text, which may be a secret", () => {
    expect(wrongOption("apiKeys", "an object", "sk-secret").message).toBe(
      "apiKeys must be an object, but it is a string.",
    );
  });
});
