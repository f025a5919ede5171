import { describe, expect, it } from "vitest";
import { nearestName } from "./nearest-name.ts";

describe("nearestName", () => {
  it.each<[string, string[], string | undefined]>([
    ["maxSteps", ["maxSteps"], "maxSteps"],
    ["maxstep", ["maxSteps"], "maxSteps"],
    ["max_steps", ["maxSteps"], "maxSteps"],
    ["max-steps", ["maxSteps"], "maxSteps"],
    ["MAX__STEPS", ["maxSteps"], "maxSteps"],
    ["mxStep", ["maxSteps"], "maxSteps"],
    ["maxStesp", ["maxSteps"], "maxSteps"],
    ["maxStepsAB", ["maxSteps"], "maxSteps"],
    ["maxStepsABC", ["maxSteps"], undefined],
    ["xStep", ["maxSteps"], undefined],
    ["toolz", ["tools", "tool"], "tools"],
    ["tool", ["tools", "tool"], "tool"],
    ["axxxx", ["abcde", "axxyz", "axxxz"], "axxxz"],
    ["abcd", ["abxy"], "abxy"],
    ["abc", ["axy"], undefined],
    ["abc", ["abx"], "abx"],
    ["abcd", ["axy"], undefined],
    ["abcde", ["abc"], undefined],
    ["ab", ["abcd"], undefined],
    ["x", ["y"], "y"],
    ["", ["ab"], undefined],
    ["anything", [], undefined],
    ["constructr", ["constructor"], "constructor"],
    ["größe", ["grösse", "größen"], "größen"],
  ])("finds for %j among %j: %j", (given, names, nearest) => {
    expect(nearestName(given, names)).toBe(nearest);
  });

  it("prefers the first of two that are as near", () => {
    expect(nearestName("modex", ["model", "modes"])).toBe("model");
    expect(nearestName("modex", ["modes", "model"])).toBe("modes");
  });

  it("compares names of 40 characters, and none that is longer", () => {
    expect(nearestName("n".repeat(40), ["n".repeat(41)])).toBe("n".repeat(41));
    expect(nearestName("n".repeat(41), ["n".repeat(41)])).toBeUndefined();
  });
});
