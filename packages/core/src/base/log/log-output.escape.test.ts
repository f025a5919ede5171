import { assert, property, string } from "fast-check";
import { describe, expect, it } from "vitest";
import { escapeControls } from "./log-output.ts";

describe("escapeControls", () => {
  it.each([
    ["a\nb", "a\\u000ab"],
    ["a\r\nb", "a\\u000d\\u000ab"],
    ["\u001b[2J", "\\u001b[2J"],
    ["\u009b2J", "\\u009b2J"],
    ["\u007f\0", "\\u007f\\u0000"],
    ["\u2028\u202e", "\\u2028\\u202e"],
    ["naïve 😀 日本", "naïve 😀 日本"],
  ])("escapes %j as %s", (text, written) => {
    expect(escapeControls(text)).toBe(written);
  });

  it("does not change the value of JSON", () => {
    assert(
      property(string({ unit: "binary" }), (text) => {
        expect(JSON.parse(escapeControls(JSON.stringify(text)))).toBe(text);
      }),
    );
  });
});
