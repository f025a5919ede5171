import { describe, expect, it } from "vitest";
import { findCitations, idsIn } from "./citations.ts";

// Written in two halves, so that these samples are not taken for citations of this file.
const id = (name: string) => `[${name}]`;

describe("idsIn", () => {
  it("finds ids in square brackets and nothing else in them", () => {
    expect(idsIn(`is so ${id("a.b")} ${id("c-d.e-f")}`)).toEqual(["a.b", "c-d.e-f"]);
    expect(idsIn("takes a[3], [text], [a b.c] and [Retry.Max]")).toEqual([]);
  });
});

describe("findCitations", () => {
  it("reads titles of tests, also of tests made from a table", () => {
    const text = [
      `it("is so ${id("a.b")}", () => { expect(1).toBe(1); });`,
      `it.each([1])("is so %s ${id("c.d")}", { timeout: 1 }, async () => { await expect(x).resolves.toBe(1); });`,
    ].join("\n");

    expect(findCitations("x.test.ts", text)).toMatchObject([
      { id: "a.b", line: 1, isEmpty: false },
      { id: "c.d", line: 2, isEmpty: false },
    ]);
  });

  it("reads titles in a table of cases", () => {
    const text = `export const cases = { "is so ${id("a.b")}": async (driver) => { assert.equal(1, 1); } };`;

    expect(findCitations("x.ts", text)).toMatchObject([{ id: "a.b", isEmpty: false }]);
  });

  it.each([
    ["no body", `it("is so ${id("a.b")}")`],
    ["an empty body", `it("is so ${id("a.b")}", () => {})`],
    ["a body that asserts nothing", `it("is so ${id("a.b")}", () => { run(); })`],
  ])("calls %s empty", (_what, text) => {
    expect(findCitations("x.test.ts", text)).toMatchObject([{ isEmpty: true }]);
  });
});
