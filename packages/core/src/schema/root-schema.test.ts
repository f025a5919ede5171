import { describe, expect, it } from "vitest";
import type { JsonSchema } from "./object-schema.ts";
import { toObjectRoot, wrapRoot } from "./root-schema.ts";

const properties = { a: { type: "string" } };

describe("toObjectRoot", () => {
  it.each<[string, JsonSchema, JsonSchema]>([
    ["an object", { type: "object", properties }, { type: "object", properties }],
    ["an object without properties", { type: "object", title: "T" }, { type: "object", title: "T", properties: {} }],
    ["properties without a type", { properties, required: ["a"] }, { type: "object", properties, required: ["a"] }],
    [
      "an object with a combinator",
      { type: "object", anyOf: [{ required: ["a"] }] },
      { type: "object", properties: {}, anyOf: [{ required: ["a"] }] },
    ],
  ])("gives %s a type and properties", (_, jsonSchema, root) => {
    expect(toObjectRoot(jsonSchema, false)).toEqual(root);
    expect(toObjectRoot(jsonSchema, true)).toEqual(root);
  });

  it.each<JsonSchema>([{}, { description: "Anything" }, { additionalProperties: { type: "number" } }])(
    "reads a root without a type as an object only where each value is one: %j",
    (jsonSchema) => {
      expect(toObjectRoot(jsonSchema, true)).toEqual({ ...jsonSchema, type: "object", properties: {} });
      expect(toObjectRoot(jsonSchema, false)).toBeUndefined();
    },
  );

  it.each<JsonSchema>([
    { type: "string" },
    { type: ["object", "null"], properties },
    { type: "array", properties },
    { properties, $ref: "#/properties/a" },
    { properties, allOf: [true] },
    { properties, anyOf: [{ type: "string" }] },
    { properties, const: {} },
    { properties, enum: [1] },
    { properties, if: true },
    { properties, not: { type: "string" } },
    { properties, oneOf: [{ type: "string" }] },
  ])("returns undefined for a root that may be something else: %j", (jsonSchema) => {
    expect(toObjectRoot(jsonSchema, true)).toBeUndefined();
    expect(toObjectRoot(jsonSchema, false)).toBeUndefined();
  });

  describe("of a reference at the root", () => {
    const node = { type: "object", title: "Node", description: "A node.", properties: { next: { $ref: "#/$defs/N" } } };
    const $defs = { N: node };

    it.each<[string, JsonSchema]>([
      ["no remarks", {}],
      ["a title", { title: "List" }],
      ["a description", { description: "A list of names." }],
      ["both", { title: "List", description: "A list of names." }],
      ["another keyword", { required: ["next"] }],
    ])("puts the definition in its place, under what stands beside the reference: %s", (_, beside) => {
      expect(toObjectRoot({ $ref: "#/$defs/N", $defs, ...beside }, false)).toEqual({ ...node, ...beside, $defs });
    });

    it.each<[string, JsonSchema]>([
      ["has a keyword that the definition has too", { $ref: "#/$defs/N", $defs, properties: {} }],
      ["leads nowhere", { $ref: "#/$defs/M", $defs }],
      ["has the name of something inherited", { $ref: "#/$defs/__proto__", $defs }],
      ["leads deeper", { $ref: "#/$defs/N/properties/next", $defs }],
      ["has an escape", { $ref: "#/$defs/a~1b", $defs: { "a~1b": node, "a/b": { type: "string" } } }],
      ["has a percent sign", { $ref: "#/$defs/%4E", $defs: { "%4E": node } }],
      ["leads elsewhere", { $ref: "#/definitions/N", definitions: { N: node }, $defs }],
      ["leads to a schema that is no object", { $ref: "#/$defs/T", $defs: { T: true } }],
      ["has no definitions", { $ref: "#/$defs/N" }],
      ["is not a string", { $ref: 1, $defs }],
    ])("leaves it where it %s", (_, jsonSchema) => {
      expect(toObjectRoot(jsonSchema, true)).toBeUndefined();
    });

    it("returns undefined for a definition of something else", () => {
      expect(toObjectRoot({ $ref: "#/$defs/T", $defs: { T: { type: "string" } } }, true)).toBeUndefined();
    });
  });

  it("changes nothing of what it was given", () => {
    const jsonSchema = { $ref: "#/$defs/N", $defs: { N: { type: "object" } } };
    toObjectRoot(jsonSchema, true);

    expect(jsonSchema).toEqual({ $ref: "#/$defs/N", $defs: { N: { type: "object" } } });
  });
});

describe("wrapRoot", () => {
  it("requires the value, and nothing beside it", () => {
    expect(wrapRoot({ type: "string", description: "A city." })).toEqual({
      type: "object",
      properties: { value: { type: "string", description: "A city." } },
      required: ["value"],
      additionalProperties: false,
    });
  });

  it.each([
    ["#", "#/properties/value"],
    ["#/properties/a", "#/properties/value/properties/a"],
    ["#/definitions/A", "#/properties/value/definitions/A"],
    ["#/$defs/A", "#/$defs/A"],
    ["#/$defsOther/A", "#/properties/value/$defsOther/A"],
    ["#anchor", "#anchor"],
    ["https://a.b/c", "https://a.b/c"],
  ])("keeps what the reference %j means", ($ref, moved) => {
    const $defs = { A: { items: { $ref } } };

    expect(wrapRoot({ anyOf: [{ type: "null" }, { properties: { a: { $ref } } }], $defs })).toEqual({
      type: "object",
      properties: { value: { anyOf: [{ type: "null" }, { properties: { a: { $ref: moved } } }] } },
      required: ["value"],
      additionalProperties: false,
      $defs: { A: { items: { $ref: moved } } },
    });
  });

  it("takes a property of the name $ref for a property", () => {
    const value = { properties: { $ref: { type: "string" }, a: { $ref: "#" } } };

    expect(wrapRoot(value)["properties"]).toEqual({
      value: { properties: { $ref: { type: "string" }, a: { $ref: "#/properties/value" } } },
    });
  });
});
