import { describe, expect, it } from "vitest";
import { toTroupeError } from "./to-troupe-error.ts";
import { TroupeError } from "./troupe-error.ts";
import { originOf, WrapperError } from "./wrapper-error.ts";

describe("WrapperError", () => {
  it("has the original error as its cause, however often it was wrapped [errors.one-cause]", () => {
    const original = new TypeError("broken");
    const first = toTroupeError(original, undefined, "The hook beforeRun");
    const second = new WrapperError(first.code, `The step "a" failed: ${first.message}`, { cause: first });
    const third = new WrapperError(second.code, "All members failed.", { cause: second });

    expect([first.cause, second.cause, third.cause]).toEqual([original, original, original]);
    expect(originOf(third)).toBe(original);
  });

  it("keeps an error of the program with a cause of its own", () => {
    const own = new TroupeError("conflict", "Busy.", { cause: new Error("locked") });

    expect(new WrapperError("conflict", "The step failed: Busy.", { cause: own }).cause).toBe(own);
    expect(originOf(own)).toBe(own);
  });

  it("has no cause when there is none", () => {
    const error = new WrapperError("timeout", "Late.");

    expect("cause" in error).toBe(false);
    expect(originOf(error)).toBe(error);
  });
});

describe("toTroupeError with a place", () => {
  it("names the place in the message of an unexpected error, also of one that was taken for internal before", () => {
    const broken = new Error("broken");

    for (const thrown of [broken, toTroupeError(broken)]) {
      const error = toTroupeError(thrown, undefined, "The hook beforeRun");
      expect([error.code, error.message]).toEqual(["internal", "The hook beforeRun failed: broken"]);
      expect(error.cause).toBe(broken);
    }
  });

  it.each([
    ["text", "text"],
    [5, "5"],
    ["", "it threw a string without a message"],
    [{}, "it threw an object without a message"],
    [undefined, "it threw undefined without a message"],
  ])("says what was thrown: %j", (thrown, reason) => {
    expect(toTroupeError(thrown, undefined, "The run").message).toBe(`The run failed: ${reason}`);
  });

  it("changes no error that has a code", () => {
    const error = new TroupeError("conflict", "Busy.");

    expect(toTroupeError(error, undefined, "The run")).toBe(error);
  });
});
