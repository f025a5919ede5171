import { expect, it } from "vitest";
import { isBlank } from "./is-blank.ts";

it.each(["", " ", "\n\t ", "\u00a0", "\u2003\ufeff"])("isBlank is true for the blank string %j", (text) => {
  expect(isBlank(text)).toBe(true);
});

it.each(["a", " a", "\u0000", "\u{1f600}", " \u00a0."])("isBlank is false for %j", (text) => {
  expect(isBlank(text)).toBe(false);
});

it.each([
  ["!", false],
  ["~", false],
  ["\u007f", false],
  ["\u001f", false],
  ["\u000b\u3000", true],
  ["\u0085", false],
  ["\u200b", false],
])("isBlank of %j is %s", (text, expected) => {
  expect(isBlank(text)).toBe(expected);
});
