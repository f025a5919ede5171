import { describe, expect, it } from "vitest";
import { compareTexts } from "./differences.ts";

/** Writes the pieces of a text, with those that the other text lacks in brackets. */
function marked(first: string, second: string): string[] {
  return compareTexts(first, second).map((pieces) =>
    pieces.map(({ text, isOwn }) => (isOwn ? `[${text}]` : text)).join(""),
  );
}

describe("the differences of two texts", () => {
  it.each([
    ["It rains in Oslo.", "It rains in Oslo.", ["It rains in Oslo.", "It rains in Oslo."]],
    ["It rains in Oslo.", "It snows in Oslo.", ["It [rains ]in Oslo.", "It [snows ]in Oslo."]],
    ["", "It rains.", ["", "[It rains.]"]],
    ["a b c d ", "b d e", ["[a ]b [c ]d ", "b d [e]"]],
    ["  ", "x", ["[  ]", "[x]"]],
  ])("of %j and %j are marked", (first, second, expected) => {
    expect(marked(first, second)).toEqual(expected);
  });

  it("are not marked in texts of more than 800 words, which are whole", () => {
    const long = "word ".repeat(801);

    expect(marked(long, "x")).toEqual([long, "x"]);
  });
});
