import { expect, it } from "vitest";
import { keyProblem, maxKeyBytes } from "./key-problem.ts";

it.each(["", "a", "__proto__", "a/b%2Fc", "ключ", "😀", "é".repeat(maxKeyBytes / 2)])(
  "finds nothing wrong with %j",
  (key) => {
    expect(keyProblem(key)).toBeUndefined();
  },
);

it.each([
  [undefined, "must be text, but is of type undefined"],
  [null, "must be text, but is null"],
  [{ $ne: null }, "must be text, but is of type object"],
  ["a\0b", "must not hold a NUL character"],
  ["\ud800", "must be well-formed text, but holds an unpaired surrogate"],
  ["x\udc00", "must be well-formed text, but holds an unpaired surrogate"],
  ["x".repeat(10_240), "must have at most 1024 bytes in UTF-8, but has 10240"],
  ["é".repeat(513), "must have at most 1024 bytes in UTF-8, but has 1026"],
])("refuses %j: it %s", (key, problem) => {
  expect(keyProblem(key)).toBe(problem);
});
