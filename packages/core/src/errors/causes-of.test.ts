import { describe, expect, it } from "vitest";
import { causesOf } from "./causes-of.ts";

describe("causesOf", () => {
  it("gives the error first, then cause after cause", () => {
    const root = new Error("root");
    const middle = new Error("middle", { cause: root });
    const top = new Error("top", { cause: middle });

    expect(causesOf(top)).toEqual([top, middle, root]);
  });

  it("ends in a cycle, and six causes deep", () => {
    const own: { cause?: unknown } = {};
    own.cause = own;
    let deep = new Error("0");
    for (let depth = 1; depth < 20; depth++) deep = new Error(String(depth), { cause: deep });

    expect(causesOf(own)).toHaveLength(7);
    expect(causesOf(deep)).toHaveLength(7);
  });

  it("gives nothing for nothing, and what was thrown when it is no error", () => {
    expect(causesOf(undefined)).toEqual([]);
    expect(causesOf(null)).toEqual([]);
    expect(causesOf("text")).toEqual(["text"]);
  });
});
