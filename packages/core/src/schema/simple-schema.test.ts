import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compileSchema } from "./compile-schema.ts";
import { isSimpleSchema } from "./simple-schema.ts";

const scalars = fc.constantFrom<unknown>(
  0,
  1,
  -1,
  1.5,
  Number.NaN,
  Infinity,
  2 ** 60,
  "",
  "string",
  "object",
  "no type",
  true,
  null,
  undefined,
  [],
  {},
  ["a"],
  ["a", 1],
  new Date(0),
  /a/,
  { type: "string" },
  { type: 1 },
  [{ type: "string" }],
  () => 1,
);

const keywords = fc.constantFrom(
  "type",
  "description",
  "title",
  "properties",
  "required",
  "additionalProperties",
  "items",
  "enum",
  "minLength",
  "maxLength",
  "minItems",
  "maxItems",
  "minimum",
  "maximum",
  "pattern",
  "$ref",
  "format",
  "const",
  "unknown",
  "$id",
);

const { node } = fc.letrec<{ node: unknown }>((tie) => ({
  node: fc.dictionary(
    keywords,
    fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      scalars,
      tie("node"),
      fc.dictionary(fc.string(), tie("node")),
    ),
    { maxKeys: 4, noNullPrototype: true },
  ),
}));

describe("isSimpleSchema", () => {
  it("is true for the schema of a usual tool", () => {
    const schema = {
      type: "object",
      properties: {
        city: { type: "string", description: "A city.", minLength: 1 },
        days: { type: "array", items: { type: "integer", minimum: 0, maximum: 6 }, maxItems: 7 },
        unit: { type: "string", enum: ["celsius", "fahrenheit"] },
      },
      required: ["city"],
      additionalProperties: false,
    };

    expect(isSimpleSchema(schema)).toBe(true);
    expect(isSimpleSchema({ type: "object" })).toBe(true);
  });

  it("is false for schemas that have to be compiled to know", () => {
    const wide = { type: "object", properties: Object.fromEntries(Array.from({ length: 300 }, (_, at) => [at, {}])) };
    const cycle: Record<string, unknown> = { type: "object" };
    cycle["items"] = cycle;

    for (const schema of [{}, { type: "array" }, { type: "object", $ref: "#/$defs/a" }, wide, cycle, null]) {
      expect(isSimpleSchema(schema)).toBe(false);
    }
  });

  it("is true of no schema that does not compile", () => {
    let simple = 0;
    fc.assert(
      fc.property(node, (schema) => {
        const root = { ...(schema as object), type: "object" };
        if (!isSimpleSchema(root)) return;
        simple++;
        expect(() => compileSchema(root).validate({})).not.toThrow();
      }),
      { numRuns: 3000 },
    );
    expect(simple).toBeGreaterThan(100);
  });
});
