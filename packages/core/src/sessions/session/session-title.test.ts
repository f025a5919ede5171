import { describe, expect, it } from "vitest";
import { checkTitle, toTitle } from "./session-title.ts";

describe("toTitle", () => {
  it.each([
    ["Plan a trip to Oslo", "Plan a trip to Oslo"],
    ["  Plan\n\ta trip \u0000 to\u2028Oslo  ", "Plan a trip to Oslo"],
    ["\u202eolsO ot", "olsO ot"],
    [
      "Please plan a trip of one week to Oslo and Bergen for four people, two of them children.",
      "Please plan a trip of one week to Oslo and Bergen for four…",
    ],
    [
      "One, two, three, four, five, six, seven, eight, nine, ten, eleven",
      "One, two, three, four, five, six, seven, eight, nine, ten…",
    ],
    [
      "Tell me which of these storages are good for internationalization, and why.",
      "Tell me which of these storages are good for…",
    ],
    ["x".repeat(100), `${"x".repeat(59)}…`],
    [`${"x".repeat(58)}😀😀`, `${"x".repeat(58)}…`],
    ["y".repeat(60), "y".repeat(60)],
    [`a ${"x".repeat(100)}`, `a ${"x".repeat(57)}…`],
  ])("makes a title of %j [session.title]", (message, title) => {
    expect(toTitle(message)).toBe(title);
    expect(title.length).toBeLessThanOrEqual(60);
  });

  it("takes the first text of several parts, and none of a message without text", () => {
    const image = { type: "image" as const, data: "aGk=" };

    expect(toTitle([image, { type: "text", text: " \n" }, { type: "text", text: "See this" }])).toBe("See this");
    expect(toTitle([image])).toBeUndefined();
    expect(toTitle("\u0000")).toBeUndefined();
  });

  it("does not read the whole of a long message", () => {
    expect(toTitle(" \n".repeat(10_000_000))).toBeUndefined();
  });
});

describe("checkTitle", () => {
  it("trims a title", () => expect(checkTitle("  Oslo 😀 ")).toBe("Oslo 😀"));

  it.each([1, 199, 200])("takes a title of %i characters", (length) => {
    expect(checkTitle("é".repeat(length))).toHaveLength(length);
  });

  it("names the bound in its refusal", () => {
    expect(() => checkTitle("x".repeat(201))).toThrow(
      "title must be a well-formed string of 1 to 200 characters on one line, without control characters.",
    );
  });

  it.each([undefined, null, 1, "", "  ", "a\nb", "a\u0000b", "\ud83d", "x".repeat(201), "a\u202eb", { title: "x" }])(
    "refuses %j",
    (title) => {
      expect(() => checkTitle(title)).toThrow(expect.objectContaining({ code: "invalid_request" }));
    },
  );
});
