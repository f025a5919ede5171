import { describe, expect, expectTypeOf, it } from "vitest";
import {
  booleanOption,
  stringOption,
  arrayOf,
  functionOption,
  integerOption,
  methodsOption,
  millisecondsOption,
  nested,
  nonBlankString,
  nonEmptyString,
  numberFrom,
  oneOf,
  optional,
  positiveNumber,
  customOption,
  timeoutOption,
} from "./option-checks.ts";
import type { OptionCheck } from "./read-options.ts";
import { TroupeError } from "./troupe-error.ts";

const storage = methodsOption<Map<string, string>>("a storage driver", "get", "set");
const noSpaces = customOption<string>("a string without spaces", (value) => !String(value).includes(" "));

describe("a check of an option", () => {
  it.each<[string, OptionCheck<unknown>, unknown[]]>([
    ["anyString", stringOption, ["", "a"]],
    ["anyBoolean", booleanOption, [true, false]],
    ["nonBlankString", nonBlankString(3), ["a", "abc"]],
    ["nonEmptyString", nonEmptyString, ["a", " "]],
    ["integer", integerOption(1, 3), [1, 3]],
    ["integer without a largest value", integerOption(0), [0, Number.MAX_SAFE_INTEGER]],
    ["numberFrom", numberFrom(0, 2), [0, 0.5, 2]],
    ["positiveNumber", positiveNumber(9), [0.1, 9]],
    ["milliseconds", millisecondsOption, [0, 0.5, 1, 60_000, 2_147_483_647]],
    ["timeoutMilliseconds", timeoutOption, [1, 2_147_483_647]],
    ["oneOf", oneOf("low", 2, true), ["low", 2, true]],
    ["functionLike", functionOption(), [() => {}, Map]],
    ["methods", storage, [new Map()]],
    ["customOption", noSpaces, ["ab"]],
    ["optional", optional(stringOption), ["a", undefined]],
    ["arrayOf", arrayOf("strings", stringOption), [[], ["a"]]],
    ["nested", nested({ size: integerOption(0) }), [{ size: 3 }]],
  ])("%s returns the values that it takes", (_, check, values) => {
    for (const value of values) expect(check(value, "option", {})).toEqual(value);
  });

  it.each<[check: OptionCheck<unknown>, value: unknown, message: string]>([
    [stringOption, 5, "option must be a string, got 5."],
    [booleanOption, "yes", "option must be true or false, got a string."],
    [nonBlankString(), " ", "option must be a string that is not blank, got a string."],
    [nonBlankString(3), "abcd", "option must be a string of 1 to 3 characters that is not blank, got a string."],
    [nonEmptyString, "", "option must be a string that is not empty, got a string."],
    [integerOption(1), -1, "option must be a positive integer, got -1."],
    [integerOption(1), "3", "option must be a positive integer, got a string."],
    [integerOption(0), 0.5, "option must be an integer of 0 or more, got 0.5."],
    [integerOption(0), 2 ** 53, "option must be an integer of 0 or more, got 9007199254740992."],
    [integerOption(2), 1, "option must be an integer of 2 or more, got 1."],
    [integerOption(1, 3), 4, "option must be an integer from 1 to 3, got 4."],
    [numberFrom(0, 2), NaN, "option must be a number from 0 to 2, got NaN."],
    [positiveNumber(), 0, "option must be a positive number, got 0."],
    [positiveNumber(9), 10, "option must be a positive number up to 9, got 10."],
    [
      millisecondsOption,
      2_147_483_648,
      "option must be a number of milliseconds from 0 to 2147483647, got 2147483648.",
    ],
    [timeoutOption, 0, "option must be an integer from 1 to 2147483647, got 0."],
    [oneOf("low", "high"), "mid", 'option must be "low" or "high", got a string.'],
    [functionOption(), null, "option must be a function, got null."],
    [storage, {}, "option must be a storage driver, with the methods get and set, got an object."],
    [noSpaces, "a b", "option must be a string without spaces, got a string."],
    [optional(stringOption), null, "option must be a string, got null."],
    [arrayOf("strings", stringOption), {}, "option must be an array of strings, got an object."],
    [arrayOf("strings", stringOption), ["a", 5], "option[1] must be a string, got 5."],
    [nested({ size: integerOption(0) }), 5n, "option must be an object, got a bigint."],
    [nested({ size: integerOption(0) }), { size: [] }, "option.size must be an integer of 0 or more, got an array."],
    [nested({ size: integerOption(0) }), { six: 1 }, 'Unknown option "six" of option. Expected size.'],
  ])("rejects every other value: %#", (check, value, message) => {
    expect(() => check(value, "option", {})).toThrow(new TroupeError("invalid_config", message));
  });

  it("rejects an array with a hole", () => {
    expect(() => arrayOf("strings", stringOption)(Array(1), "names", {})).toThrow("names[0] must be a string");
  });

  it("does not show a string, which may be a secret", () => {
    expect(() => integerOption(1)("sk-secret", "apiKey", {})).toThrow(
      "apiKey must be a positive integer, got a string.",
    );
  });

  it("has the code and the path of the options object in its error", () => {
    const where = { path: "agents", code: "invalid_request" } as const;

    expect(() => nested({ size: integerOption(0) })({ size: -1 }, "limits", where)).toThrow(
      new TroupeError("invalid_request", "agents.limits.size must be an integer of 0 or more, got -1."),
    );
  });
});

describe("an optional option", () => {
  it("has its default when it is not given", () => {
    expect(optional(integerOption(0), 7)(undefined, "option", {})).toBe(7);
  });

  it("may be undefined only without a default", () => {
    expectTypeOf(optional(oneOf("a", "b"))).returns.toEqualTypeOf<"a" | "b" | undefined>();
    expectTypeOf(optional(oneOf("a", "b"), "a")).returns.toEqualTypeOf<"a" | "b">();
  });
});
