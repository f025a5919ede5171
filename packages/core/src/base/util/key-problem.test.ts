import { expect, it } from "vitest";
import { keyProblem, maxKeyBytes } from "./key-problem.ts";

it.each(["", "a", "__proto__", "a/b%2Fc", "ключ", "😀", "é".repeat(maxKeyBytes / 2)])(
  "keyProblem finds no problem with the key %j",
  (key) => {
    expect(keyProblem(key)).toBeUndefined();
  },
);

it.each([
  [undefined, "must be a string, got undefined"],
  [null, "must be a string, got null"],
  [{ $ne: null }, "must be a string, got an object"],
  ["a\0b", "must not hold a NUL character"],
  ["\ud800", "must be a well-formed string, but holds an unpaired surrogate"],
  ["x\udc00", "must be a well-formed string, but holds an unpaired surrogate"],
  ["x".repeat(10_240), "must have at most 1024 bytes in UTF-8, got 10240"],
  ["é".repeat(513), "must have at most 1024 bytes in UTF-8, got 1026"],
])("keyProblem tells that the key %j %s", (key, problem) => {
  expect(keyProblem(key)).toBe(problem);
});
