import { describe, expect, it } from "vitest";
import { causesOf } from "./causes-of.ts";

describe("causesOf", () => {
  it("returns the error first, then each cause in turn", () => {
    const root = new Error("root");
    const middle = new Error("middle", { cause: root });
    const top = new Error("top", { cause: middle });

    expect(causesOf(top)).toEqual([top, middle, root]);
  });

  it("stops after six causes, also in a cycle", () => {
    const own: { cause?: unknown } = {};
    own.cause = own;
    let deep = new Error("0");
    for (let depth = 1; depth < 20; depth++) deep = new Error(String(depth), { cause: deep });

    expect(causesOf(own)).toHaveLength(7);
    expect(causesOf(deep)).toHaveLength(7);
  });

  it("returns nothing for undefined, and a thrown value that is no error", () => {
    expect(causesOf(undefined)).toEqual([]);
    expect(causesOf(null)).toEqual([]);
    expect(causesOf("text")).toEqual(["text"]);
  });
});
