import { describe, expect, it } from "vitest";
import type { JsonSchema } from "../object-schema.ts";
import { compileCheck } from "./compile-check.ts";

// Unguarded, each of these takes from minutes to for ever: that the test ends is what it shows.
describe("a check that would take too long", () => {
  const hostile: [string, JsonSchema, unknown][] = [
    ["a pattern that backtracks without end", { pattern: "^(a+)+$" }, `${"a".repeat(50)}!`],
    ["a pattern that is quadratic on a long text", { pattern: "a+b" }, "a".repeat(1_000_000)],
    ["many optional parts", { pattern: `${"a?".repeat(40)}${"a".repeat(40)}!` }, "a".repeat(40)],
    [
      "many texts of a slow pattern",
      { items: { pattern: "^(a+)+$" } },
      Array.from({ length: 1000 }, () => `${"a".repeat(24)}!`),
    ],
    ["a pattern of property names", { patternProperties: { "^(a+)+!$": false } }, { [`${"a".repeat(50)}!`]: 1 }],
    ["a reference that leads only to itself", { $ref: "#" }, 1],
    [
      "references that double at each step",
      {
        $ref: "#/$defs/d0",
        $defs: Object.fromEntries(
          Array.from({ length: 64 }, (_, index) => {
            const next = { $ref: `#/$defs/d${Math.min(index + 1, 63)}` };
            return [`d${index}`, index === 63 ? true : { allOf: [next, next] }];
          }),
        ),
      },
      1,
    ],
    [
      "many looks at many names",
      { allOf: Array.from({ length: 30_000 }, () => ({ minProperties: 1 })) },
      Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [`k${index}`, index])),
    ],
    [
      "many looks at a long text",
      { allOf: Array.from({ length: 30_000 }, () => ({ not: { const: ["x"] } })) },
      ["x".repeat(1_000_000)],
    ],
    [
      "forms that double at each level",
      { anyOf: ["b", "c"].map((extra) => ({ properties: { a: { $ref: "#" }, [extra]: true }, required: ["a"] })) },
      Array.from({ length: 60 }).reduce((inner) => ({ a: inner }), {}),
    ],
  ];

  it.each(hostile)("ends and refuses the value: %s", (_, schema, value) => {
    expect(compileCheck(schema, "parameters")(value).ok).toBe(false);
  });

  it("is not suspected in a repeated group on a usual text", () => {
    const check = compileCheck({ pattern: "^[a-z]+(?:-[a-z]+)*$" }, "parameters");

    expect(check("a-usual-slug").ok).toBe(true);
    expect(check("No Slug").ok).toBe(false);
  });
});
