import * as fc from "fast-check";
import { expect, it } from "vitest";
import { compareUtf8, isBeforeUtf8 } from "./compare-utf8.ts";

it("compareUtf8 orders strings by their bytes in UTF-8", () => {
  const character = fc.oneof(
    fc.constantFrom("a", "b", "\0", "\ud7ff", "\ue000", "\uffff", "😀"),
    fc.string({ unit: "binary" }),
  );
  const text = fc.string({ unit: character });

  fc.assert(
    fc.property(text, text, (left, right) => {
      expect(Math.sign(compareUtf8(left, right))).toBe(Buffer.compare(Buffer.from(left), Buffer.from(right)));
    }),
  );
});

it("compareUtf8 orders an emoji after U+FFFF, unlike UTF-16", () => {
  const texts = ["😀", "\uffff", "a"];

  expect(texts.toSorted()).toEqual(["a", "😀", "\uffff"]);
  expect(texts.toSorted(compareUtf8)).toEqual(["a", "\uffff", "😀"]);
});

it("compareUtf8 tells which strings are before one, by the same order", () => {
  const texts = ["", "a", "a\0", "b", "\ud7ff", "\ue000", "\uffff", "😀", "😀a"];
  const before = texts.map((text) => texts.filter(isBeforeUtf8(text)));

  expect(before).toEqual(texts.map((_text, index) => texts.slice(0, index)));
  expect(texts.toReversed().toSorted(compareUtf8)).toEqual(texts);
});
