import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { expect, inject, it } from "vitest";
import type { JsonSchema } from "../object-schema.ts";
import { compileCheck } from "./compile-check.ts";

const name = fc.constantFrom("a", "b", "c");
const count = fc.integer({ min: 0, max: 3 });
const scalar = fc.oneof(
  fc.constantFrom(null, true, false, "", "a", "ab", "abc", "😀"),
  fc.integer({ min: -3, max: 6 }),
);

const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    scalar,
    fc.constantFrom(0.5, 1.5, -2.25),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(name, tie("value"), { maxKeys: 3, noNullPrototype: true }),
  ),
}));

// From entries: written as a literal, `then` would make this look like a promise.
const toConditional = (schemas: unknown[]) => {
  return [Object.fromEntries(["if", "then", "else"].map((keyword, index) => [keyword, schemas[index]]))];
};

const types = ["array", "boolean", "integer", "null", "number", "object", "string"];

/** Few names, few small numbers: so that schema and value meet often enough for each keyword to matter. */
const { schema } = fc.letrec<{ schema: unknown }>((tie) => {
  const schemas = fc.array(tie("schema"), { minLength: 1, maxLength: 3 });
  const keywords = fc.record(
    {
      type: fc.oneof(
        fc.constantFrom(...types),
        fc.uniqueArray(fc.constantFrom(...types), { minLength: 1, maxLength: 3 }),
      ),
      enum: fc.uniqueArray(value, { minLength: 1, maxLength: 3, selector: (entry) => JSON.stringify(entry) }),
      const: value,
      minimum: fc.integer({ min: -2, max: 4 }),
      exclusiveMaximum: fc.integer({ min: -2, max: 4 }),
      multipleOf: fc.constantFrom(1, 2, 0.5),
      minLength: count,
      maxLength: count,
      pattern: fc.constantFrom("^a", "b$", "^[a-b]*$", "^.$"),
      items: tie("schema"),
      prefixItems: schemas,
      contains: tie("schema"),
      minItems: count,
      maxItems: count,
      uniqueItems: fc.boolean(),
      properties: fc.dictionary(name, tie("schema"), { maxKeys: 3, noNullPrototype: true }),
      patternProperties: fc.dictionary(fc.constantFrom("^a", "_", "c"), tie("schema"), {
        maxKeys: 2,
        noNullPrototype: true,
      }),
      additionalProperties: tie("schema"),
      propertyNames: tie("schema"),
      required: fc.uniqueArray(name, { maxLength: 2 }),
      dependentRequired: fc.dictionary(name, fc.uniqueArray(name, { maxLength: 2 }), {
        maxKeys: 2,
        noNullPrototype: true,
      }),
      minProperties: count,
      maxProperties: count,
      anyOf: schemas,
      oneOf: schemas,
      allOf: fc.oneof(schemas, fc.tuple(tie("schema"), tie("schema"), tie("schema")).map(toConditional)),
      not: tie("schema"),
      $ref: fc.constantFrom("#/$defs/one", "#/$defs/two"),
    },
    { requiredKeys: [] },
  );
  // Three keywords at most: a schema of all of them refuses everything, and then nothing is learnt.
  const few = fc.tuple(keywords, fc.array(fc.nat(), { minLength: 1, maxLength: 3 })).map(([all, picks]) => {
    const entries = Object.entries(all);
    return Object.fromEntries(
      entries.length === 0 ? [] : picks.map((pick) => entries[pick % entries.length] ?? ["title", ""]),
    );
  });
  return { schema: fc.oneof({ maxDepth: 3 }, fc.boolean(), few, few, few) };
});

const root = fc
  .tuple(schema, schema, schema)
  .map(([main, one, two]): JsonSchema => ({ allOf: [main], $defs: { one, two } }))
  .filter((candidate) => !hasEndlessReference(candidate) && !isMisjudged(candidate));

/** A `$ref` that comes back to itself within the same value: the other validator overflows the stack on it. */
function hasEndlessReference({ $defs }: JsonSchema): boolean {
  return JSON.stringify($defs).includes("$ref");
}

/** The other validator lets an empty array pass `contains` when `prefixItems` beside it allows everything. */
function isMisjudged(candidate: JsonSchema): boolean {
  const text = JSON.stringify(candidate);
  return text.includes('"contains"') && text.includes('"prefixItems"');
}

// The time is the other validator's: it compiles each schema to code.
it("compileCheck gives the same verdict as another validator, on any schema and value", () => {
  const verdicts = { fits: 0, fails: 0 };
  fc.assert(
    fc.property(root, fc.array(value, { minLength: 5, maxLength: 15 }), (candidate, instances) => {
      const oracle = new Ajv2020({ strict: false, validateFormats: false, ownProperties: true, logger: false });
      const fits = oracle.compile(candidate);
      const check = compileCheck(candidate, "parameters");
      for (const instance of instances) {
        const expected = fits(instance);
        verdicts[expected ? "fits" : "fails"] += 1;

        expect(check(instance).ok).toBe(expected);
      }
    }),
    // Always the same schemas: the other validator errs now and then, and compiles some of them for minutes.
    { numRuns: { few: 30, many: 100 }[inject("trials")], seed: 20_261_121 },
  );
  expect(Math.min(verdicts.fits, verdicts.fails)).toBeGreaterThan(100);
});
