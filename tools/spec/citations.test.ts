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
  it("reads the titles of tests, also of tests made from a table", () => {
    const text = [
      `it("is so ${id("a.b")}", () => { expect(1).toBe(1); });`,
      `it.each([1])("is so %s ${id("c.d")} ${id("e.f")}", { timeout: 1 }, async () => { await expect(x).resolves.toBe(1); });`,
    ].join("\n");

    expect(findCitations("x.test.ts", text)).toEqual([
      { id: "a.b", file: "x.test.ts", line: 1, asserts: true },
      { id: "c.d", file: "x.test.ts", line: 2, asserts: true },
      { id: "e.f", file: "x.test.ts", line: 2, asserts: true },
    ]);
  });

  it("reads the titles that are templates", () => {
    const text = `it(\`reads \${chunks} chunks of %s, \${id} or ${id("a.b")}\`, () => { expect(1).toBe(1); });`;

    expect(findCitations("x.test.ts", text)).toEqual([{ id: "a.b", file: "x.test.ts", line: 1, asserts: true }]);
  });

  it.each(["expect(a).not.toBe(1)", "assert.equal(a, 1)", "assertPlain(a)", "for (const b of a) rejectsWith(b)"])(
    "counts a test with %s as one that asserts",
    (body) => {
      const text = `it("is so ${id("a.b")}", async function () { ${body}; });`;

      expect(findCitations("x.test.ts", text)).toMatchObject([{ asserts: true }]);
    },
  );

  it.each([
    ["no body", `it("is so ${id("a.b")}")`],
    ["an empty body", `it("is so ${id("a.b")}", () => {})`],
    ["a body that asserts nothing", `it("is so ${id("a.b")}", () => { run(); })`],
    ["a body of types", `it("is so ${id("a.b")}", () => { expectTypeOf<A>().toEqualTypeOf<B>(); assertType<A>(a); })`],
    ["assertions in a string", `it("is so ${id("a.b")}", () => { run("expect(a)"); })`],
  ])("finds that a test with %s asserts nothing at run time", (_what, text) => {
    expect(findCitations("x.test.ts", text)).toMatchObject([{ asserts: false }]);
  });

  it("reads the titles of the cases of a conformance suite, and of no other object", () => {
    const text = [
      `"is so ${id("a.b")}": async ({ x }) => { assert.ok(x); },`,
      `"is so ${id("c.d")}": onStage(async (stage) => { assert.ok(stage); }),`,
      `"is so ${id("e.f")}": onStage(async (stage) => { await stage; }),`,
    ].join("\n");
    const object = `const cases = {\n${text}\n};`;

    const of = (name: string, line: number, asserts: boolean) => ({
      id: name,
      file: "x-cases.ts",
      line,
      asserts,
      isCase: true,
    });
    expect(findCitations("x-cases.ts", object)).toEqual([of("a.b", 2, true), of("c.d", 3, true), of("e.f", 4, false)]);
    expect(findCitations("x.test.ts", object)).toEqual([]);
  });
});
