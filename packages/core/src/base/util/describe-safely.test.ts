import { expect, it } from "vitest";
import { describeSafely } from "./describe-safely.ts";

it.each([
  [null, "null"],
  [undefined, "undefined"],
  [0, "0"],
  [-0.5, "-0.5"],
  [NaN, "NaN"],
  [Infinity, "Infinity"],
  [true, "true"],
  [false, "false"],
  ["sk-secret", "a string"],
  ["", "a string"],
  [["sk-secret"], "an array"],
  [[], "an array"],
  [{ key: "sk-secret" }, "an object"],
  [new Map(), "an object"],
  [Object.create(null), "an object"],
  [5n, "a bigint"],
  [Symbol("sk-secret"), "a symbol"],
  [() => "sk-secret", "a function"],
])("%# is described as %s", (value, description) => {
  expect(describeSafely(value)).toBe(description);
});
