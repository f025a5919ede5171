import { describe, expect, it } from "vitest";
import { evaluate } from "./evaluate.ts";

describe("evaluate", () => {
  it.each<[expression: string, value: number]>([
    ["12 * 7", 84],
    ["1 + 2 * 3", 7],
    ["(1 + 2) * 3", 9],
    ["10 - 4 - 3", 3],
    ["100 / 10 / 2", 5],
    ["17 % 5", 2],
    ["2 ^ 3 ^ 2", 512],
    ["-2 ^ 2", -4],
    ["2 ^ -1", 0.5],
    ["3 - -2", 5],
    ["2 * -3", -6],
    [".5 + 1.25", 1.75],
    ["0.1 + 0.2", 0.3],
  ])("evaluates %s to %d", (expression, value) => {
    expect(evaluate(expression)).toBe(value);
  });

  it.each<[expression: string, problem: string]>([
    ["1 / 0", "division by zero"],
    ["1 % 0", "division by zero"],
    ["9 ^ 999", "too large"],
    ["(1 + 2", "not closed"],
    ["1 + 2)", 'unexpected ")"'],
    ["1 2", 'unexpected "2"'],
    ["1 +", "a number is missing"],
    ["", "a number is missing"],
    ["process.exit()", 'before "p"'],
    ["1 + * 2", 'before "*"'],
  ])("refuses %j", (expression, problem) => {
    expect(() => evaluate(expression)).toThrowError(problem);
  });
});
