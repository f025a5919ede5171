import fc from "fast-check";
import { expect, inject, it } from "vitest";
import { compileSchema } from "./compile-schema.ts";
import { isSimpleSchema } from "./simple-schema.ts";

const { numRuns, least } = { few: { numRuns: 1000, least: 10 }, many: { numRuns: 10_000, least: 200 } }[
  inject("trials")
];

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

it("isSimpleSchema is true of no schema that does not compile", () => {
  let simple = 0;
  fc.assert(
    fc.property(node, (schema) => {
      const root = { ...(schema as object), type: "object" };
      if (!isSimpleSchema(root)) return;
      simple++;
      expect(() => compileSchema(root).validate({})).not.toThrow();
    }),
    { numRuns },
  );
  expect(simple).toBeGreaterThan(least);
});
