import { array, assert, constantFrom, integer, json, property, string } from "fast-check";
import { describe, expect, it } from "vitest";
import { findJsonBreak } from "./find-json-break.ts";

describe("where JSON breaks", () => {
  it.each([
    ["", 0],
    ["  ", 2],
    ["{", 1],
    ["[1, 2", 5],
    ['{"a":', 5],
    ['{"a', 3],
    ['"a\\', 2],
    ["x", 0],
    ["{,}", 1],
    ['{"a" 1}', 5],
    ['{"a":1,}', 7],
    ["[1,]", 3],
    ["[1 2]", 3],
    ["[1}", 2],
    ['{"a":1]', 6],
    ["{} {}", 3],
    ["01", 1],
    ["-", 0],
    ["1.", 1],
    ["[.5]", 1],
    ['"a\nb"', 2],
    ['"a\\x"', 2],
    ['"a\\u12G4"', 2],
    ["nul", 0],
    ["[NaN]", 1],
    ["{'a':1}", 1],
    ["{a:1}", 1],
    ["[1,2],", 5],
  ])("%j: at %d", (text, place) => {
    expect(findJsonBreak(text)).toBe(place);
  });

  it("is nowhere in JSON", () => {
    assert(property(json(), (text) => findJsonBreak(text) === text.length));
  });

  it("is behind any beginning of JSON, or where its last word began", () => {
    assert(
      property(json(), integer({ min: 0, max: 200 }), (text, length) => {
        const beginning = text.slice(0, length);
        return /^[-\w.+\\]*$/.test(beginning.slice(findJsonBreak(beginning)));
      }),
    );
  });

  it("is where the engine says, when it says it", () => {
    const noise = array(constantFrom("{", "}", "[", "]", ",", ":", '"', "1", "a", " ", "\\", "true", '"k":'), {
      maxLength: 12,
    });
    assert(
      property(noise, string(), (pieces, tail) => {
        const text = pieces.join("") + tail;
        const said = placeSaidBy(text);
        return said === undefined || findJsonBreak(text) <= said;
      }),
    );
  });

  it("is found in a long text without much ado", () => {
    const text = `{"input":"${"x".repeat(1_000_000)}", oops}`;

    expect(findJsonBreak(text)).toBe(text.length - "oops}".length);
    expect(findJsonBreak("[".repeat(1_000_000))).toBe(1_000_000);
  });
});

function placeSaidBy(text: string): number | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    const [, place] = /at position (\d+)/.exec((error as Error).message) ?? [];
    return place === undefined ? undefined : Number(place);
  }
}
