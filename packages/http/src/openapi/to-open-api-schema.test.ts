import { Ajv2020 } from "ajv/dist/2020.js";
import { assert, json, property } from "fast-check";
import { describe, expect, it } from "vitest";
import { compileSchema } from "../../test/compile-schemas.ts";
import { toOpenApiSchema } from "./to-open-api-schema.ts";

describe("toOpenApiSchema", () => {
  it.each([
    [{ type: ["string", "null"] }, { type: "string", nullable: true }],
    [{ type: ["string", "number"] }, {}],
    [{ const: "a" }, { enum: ["a"] }],
    [{ type: "array" }, { type: "array", items: {} }],
    [{ exclusiveMaximum: 3 }, { maximum: 3, exclusiveMaximum: true }],
    [
      { oneOf: [{ type: "string" }, { type: "null" }], title: "T" },
      { type: "string", nullable: true, title: "T" },
    ],
    [
      { anyOf: [{ enum: ["a"] }, { type: "null" }] },
      { anyOf: [{ enum: ["a"] }, { type: "object", nullable: true, maxProperties: 0 }] },
    ],
    [
      { anyOf: [{ type: "string", enum: ["a"] }, { type: "null" }] },
      {
        anyOf: [
          { type: "string", enum: ["a"] },
          { type: "object", nullable: true, maxProperties: 0 },
        ],
      },
    ],
    [
      { anyOf: [{ type: "string" }, { type: "null" }], maxLength: 3 },
      { anyOf: [{ type: "string" }, { type: "object", nullable: true, maxProperties: 0 }], maxLength: 3 },
    ],
    [{ $ref: "#/$defs/a", $defs: { a: { type: "string" } } }, { type: "string" }],
    [{ $ref: "#/$defs/nowhere" }, {}],
    [{ $ref: "https://example.com/schema" }, {}],
    [{ not: { type: "string" }, if: {}, patternProperties: {} }, {}],
    [true, {}],
  ])("converts %j", (schema, expected) => {
    expect(toOpenApiSchema(schema)).toEqual(expected);
  });

  it.each(["title", "description", "default", "deprecated", "readOnly", "writeOnly"])(
    "makes a type or null one nullable type beside %s, which restricts nothing",
    (keyword) => {
      const schema = { anyOf: [{ type: "string" }, { type: "null" }], [keyword]: true };
      expect(toOpenApiSchema(schema)).not.toHaveProperty("anyOf");
      expect(toOpenApiSchema(schema)).toMatchObject({ type: "string", nullable: true });
    },
  );

  it("writes out a definition at each place that refers to it, also beside and within another", () => {
    const ref = { $ref: "#/$defs/name" };
    const $defs = { name: { type: "string" }, pair: { type: "array", items: ref } };
    const schema = { type: "object", properties: { a: ref, b: ref, c: { $ref: "#/$defs/pair" }, d: ref }, $defs };
    const [text, list] = [{ type: "string" }, { type: "array", items: { type: "string" } }];
    expect(toOpenApiSchema(schema)).toMatchObject({ properties: { a: text, b: text, c: list, d: text } });
  });

  it("ends a schema that refers to itself with one that accepts anything", () => {
    const node = { type: "object", properties: { next: { $ref: "#" } } };

    expect(toOpenApiSchema(node)).toEqual({
      type: "object",
      properties: { next: { type: "object", properties: { next: {} } } },
    });
  });

  it("returns a schema that accepts every value that the JSON Schema accepts", () => {
    const schema = {
      type: "object",
      properties: {
        a: { anyOf: [{ type: "string" }, { type: "null" }] },
        b: { oneOf: [{ type: "number", not: { minimum: 3 } }, { type: "integer" }] },
        c: { type: ["array", "null"], prefixItems: [{ type: "string" }], items: { type: "number" } },
        d: { const: null },
      },
      patternProperties: { "^x": { type: "string" } },
      additionalProperties: false,
    };
    const [takes, told] = [new Ajv2020({ strict: false }).compile(schema), compileSchema(toOpenApiSchema(schema))];
    const values = [
      {},
      { a: null },
      { a: "x" },
      { b: 5 },
      { b: 1.5 },
      { c: null },
      { c: ["x", 1] },
      { d: null },
      { xa: "" },
    ];

    for (const value of values) expect([value, takes(value), told(value)]).toEqual([value, true, true]);
    assert(property(json(), (text) => !takes(JSON.parse(text)) || told(JSON.parse(text))));
  });
});
