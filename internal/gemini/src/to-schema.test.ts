import { describe, expect, it } from "vitest";
import { toSchema } from "./to-schema.ts";

const text = { type: "string" };

describe("toSchema", () => {
  it("keeps the keywords that Gemini knows", () => {
    const schema = {
      type: "object",
      title: "Trip",
      description: "d",
      properties: {
        name: { ...text, format: "date", enum: ["a"] },
        list: { type: ["array", "null"], items: text, minItems: 1, maxItems: 2, prefixItems: [text] },
        count: { type: "number", minimum: 0, maximum: 9 },
        any: { anyOf: [text, { type: "null" }] },
        one: { oneOf: [text] },
        open: { type: "object", additionalProperties: text },
      },
      required: ["name"],
      additionalProperties: false,
      propertyOrdering: ["name"],
    };

    expect(toSchema(schema)).toEqual(schema);
  });

  it("leaves out other keywords at every depth", () => {
    const strict = { ...text, pattern: "^a", minLength: 1, maxLength: 2, default: "a", not: {}, examples: [1] };
    const schema = {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      propertyNames: text,
      patternProperties: { a: text },
      properties: { a: strict, b: { type: "array", items: strict }, c: { anyOf: [strict] } },
      additionalProperties: strict,
    };

    expect(toSchema(schema)).toEqual({
      type: "object",
      properties: { a: text, b: { type: "array", items: text }, c: { anyOf: [text] } },
      additionalProperties: text,
    });
  });

  it("keeps properties that are named like keywords", () => {
    const properties = { $schema: text, pattern: text, const: text, allOf: text };

    expect(toSchema({ type: "object", properties })).toEqual({ type: "object", properties });
  });

  it("writes a constant as an enum of one value", () => {
    expect(toSchema({ anyOf: [{ const: "a" }, { const: null }] })).toEqual({
      anyOf: [{ enum: ["a"] }, { enum: [null] }],
    });
  });

  it("merges the schemas of allOf", () => {
    const schema = {
      type: "object",
      allOf: [
        { properties: { a: { type: "number" }, b: text }, required: ["b"], description: "of all" },
        { allOf: [{ properties: { c: text }, required: ["c", "b"] }] },
      ],
      properties: { a: text },
      required: ["a"],
    };

    expect(toSchema(schema)).toEqual({
      type: "object",
      description: "of all",
      properties: { c: text, b: text, a: text },
      required: ["a", "b", "c"],
    });
  });

  it("takes each keyword from the schema around allOf, and then from the first in it", () => {
    const outer = { type: "object", title: "outer", minItems: 1, properties: { a: text } };
    const allOf = [
      { title: "first", description: "first", maxItems: 2, properties: { a: { type: "number" }, b: text } },
      { title: "second", description: "second", maxItems: 3, minItems: 9, properties: { b: { type: "number" } } },
    ];

    expect(toSchema({ ...outer, allOf })).toEqual({
      ...outer,
      description: "first",
      maxItems: 2,
      properties: { a: text, b: text },
    });
  });

  it("rewrites definitions to $defs, and leaves nothing beside a reference", () => {
    const schema = {
      $ref: "#/definitions/Tree",
      description: "d",
      definitions: { Tree: { type: "object", properties: { leaf: { $ref: "#/$defs/Leaf", title: "t" } } } },
      $defs: { Leaf: { ...text, pattern: "a" } },
    };

    expect(toSchema(schema)).toEqual({
      $ref: "#/$defs/Tree",
      $defs: { Tree: { type: "object", properties: { leaf: { $ref: "#/$defs/Leaf" } } }, Leaf: text },
    });
  });

  it("does not change its argument", () => {
    const schema = {
      allOf: [{ properties: { a: { const: 1 } } }],
      properties: { b: { $schema: "x" } },
      required: ["b"],
    };
    const before = structuredClone(schema);
    toSchema(schema);

    expect(schema).toEqual(before);
  });
});
