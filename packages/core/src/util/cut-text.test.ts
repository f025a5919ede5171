import { assert, integer, property, string } from "fast-check";
import { describe, expect, it } from "vitest";
import { cutText } from "./cut-text.ts";

describe("cutText", () => {
  it.each([
    ["one that fits", "abc", 3, "", "abc"],
    ["one that is one too long", "abcd", 3, "", "abc"],
    ["one with its mark", "abcd", 3, "…", "ab…"],
    ["one before an emoji", "ab😀", 3, "", "ab"],
    ["one after an emoji", "ab😀c", 4, "", "ab😀"],
    ["one before an emoji, with its mark", "ab😀cd", 4, "…", "ab…"],
  ])("returns %s", (_what, text, longest, mark, expected) => {
    expect(cutText(text, longest, mark)).toBe(expected);
  });

  it("returns the longest beginning that fits and ends with a whole character", () => {
    assert(
      property(string({ unit: "grapheme" }), integer({ min: 1, max: 12 }), (text, longest) => {
        const cut = cutText(text, longest);
        expect(text.startsWith(cut) && cut.isWellFormed()).toBe(true);
        expect(cut.length).toBeLessThanOrEqual(longest);
        if (cut !== text) expect(cut.length).toBeGreaterThanOrEqual(longest - 1);
      }),
    );
  });
});
