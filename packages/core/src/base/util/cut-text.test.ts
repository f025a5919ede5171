import { assert, integer, property, string } from "fast-check";
import { describe, expect, it } from "vitest";
import { cutText } from "./cut-text.ts";

describe("cutText", () => {
  it.each([
    { what: "one that fits", text: "abc", longest: 3, expected: "abc" },
    { what: "one that is one too long", text: "abcd", longest: 3, expected: "abc" },
    { what: "one with its mark", text: "abcd", longest: 3, mark: "…", expected: "ab…" },
    { what: "one before an emoji", text: "ab😀", longest: 3, expected: "ab" },
    { what: "one after an emoji", text: "ab😀c", longest: 4, expected: "ab😀" },
    { what: "one before an emoji, with its mark", text: "ab😀cd", longest: 4, mark: "…", expected: "ab…" },
  ])("returns $what", ({ text, longest, mark, expected }) => {
    expect(cutText(text, longest, mark)).toBe(expected);
  });

  it("returns the longest beginning that fits and ends with a whole character", () => {
    assert(
      property(string({ unit: "grapheme" }), integer({ min: 1, max: 12 }), (text, longest) => {
        const cut = cutText(text, longest);
        expect(text.startsWith(cut) && cut.isWellFormed()).toBe(true);
        expect(cut.length).toBeLessThanOrEqual(longest);
        expect(cut.length).toBeGreaterThanOrEqual(Math.min(text.length, longest - 1));
      }),
    );
  });
});
