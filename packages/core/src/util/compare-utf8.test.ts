import * as fc from "fast-check";
import { expect, it } from "vitest";
import { compareUtf8 } from "./compare-utf8.ts";

it("orders texts as their UTF-8 bytes are ordered", () => {
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

it("puts an emoji behind U+FFFF, which the order of UTF-16 does not", () => {
  const texts = ["😀", "\uffff", "a"];

  expect(texts.toSorted()).toEqual(["a", "😀", "\uffff"]);
  expect(texts.toSorted(compareUtf8)).toEqual(["a", "\uffff", "😀"]);
});
