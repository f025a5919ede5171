import { transformJSONSchema } from "@anthropic-ai/sdk/lib/transform-json-schema";
import { describe, expect, it } from "vitest";
import { isExpressible } from "./is-expressible.ts";
import { toEnforcedSchema } from "./to-enforced-schema.ts";

const text = { type: "string" };
const object = (properties: object, more: object = {}) => ({ type: "object", properties, ...more });

describe("a schema", () => {
  it.each<[string, Record<string, unknown>]>([
    ["an object of named properties", object({ a: text }, { required: ["a"], additionalProperties: false })],
    ["a list", object({ a: { type: "array", items: text, minItems: 3 } })],
    ["values", object({ a: { enum: ["x", 1, null] }, b: { const: true } })],
    ["a choice", object({ a: { oneOf: [text, { type: "null" }] } })],
    ["several types", object({ a: { type: ["string", "null"] } })],
    ["a definition", { ...object({ a: { $ref: "#/$defs/a" }, b: { $ref: "#/$defs/a" } }), $defs: { a: object({}) } }],
  ])("can be enforced when it is %s", (_, schema) => {
    expect(isExpressible(schema)).toBe(true);
    expect(transformJSONSchema(schema)).toMatchObject({ type: "object", additionalProperties: false });
  });

  it.each<Record<string, unknown>>([
    object({ a: { type: "string", minLength: 2, pattern: "^a", description: "Letters." } }, { title: "Words" }),
    object({ a: { type: "string", format: "uuid" }, b: { type: "string", format: "iri" } }),
    object({ a: { type: "array", items: text, minItems: 1, maxItems: 5 } }, { required: ["a"] }),
    object({ a: { type: "array", items: object({ b: { type: "integer", minimum: 1 } }), minItems: 2 } }),
    object({ a: { enum: ["x", 1, null], type: "string", description: "One." }, b: { const: true } }),
    object({ a: { oneOf: [text, { type: "null" }], description: "Perhaps." }, b: { allOf: [object({ c: text })] } }),
    object({ a: { anyOf: [{ type: "string", minLength: 1 }, { $ref: "#/$defs/a" }] } }, { $defs: { a: object({}) } }),
    { $ref: "#/$defs/a", $defs: { a: object({ b: text }, { minProperties: 1, additionalProperties: true }) } },
    object(
      { a: { type: ["string", "null"], default: "x" } },
      { $schema: "https://json-schema.org/draft/2020-12/schema" },
    ),
  ])("is written as the vendor's SDK writes it: %j", (schema) => {
    expect(isExpressible(schema)).toBe(true);
    expect(toEnforcedSchema(schema)).toEqual(transformJSONSchema(schema));
  });

  it.each<[string, Record<string, unknown>]>([
    ["an object of any properties", object({ a: { type: "object" } })],
    ["a record", object({ a: { type: "object", properties: {}, additionalProperties: text } })],
    ["named patterns", object({ a: object({}, { patternProperties: { "^a": text } }) })],
    ["anything", object({ a: {} })],
    ["true", object({ a: true })],
    ["a list of anything", object({ a: { type: "array" } })],
    ["an object or nothing", object({ a: { type: ["object", "null"] } })],
    ["a choice of anything", object({ a: { anyOf: [text, {}] } })],
    ["an object as value", object({ a: { const: { b: 1 } } })],
    ["values that are lists", object({ a: { enum: [[1]] } })],
    ["itself", object({ a: { $ref: "#" } })],
    [
      "a definition of itself",
      { ...object({ a: { $ref: "#/$defs/a" } }), $defs: { a: object({ b: { $ref: "#/$defs/a" } }) } },
    ],
    ["a definition that is not there", object({ a: { $ref: "#/$defs/constructor" } })],
    ["a definition elsewhere", object({ a: { $ref: "https://example.com/a" } })],
    ["a definition that nobody uses and cannot be said", { ...object({}), $defs: { a: {} } }],
  ])("cannot be enforced when it is %s", (_, schema) => {
    expect(isExpressible(schema)).toBe(false);
  });
});
