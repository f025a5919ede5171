import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import * as v from "valibot";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { compileSchema, compileStructuredSchema } from "./compile-schema.ts";
import type { ObjectSchema } from "./object-schema.ts";

const plain = {
  type: "object",
  properties: {
    city: { type: "string", minLength: 2 },
    days: { type: "integer" },
    unit: { enum: ["celsius", "fahrenheit"] },
    tags: { type: "array", items: { type: "string" } },
  },
  required: ["city", "days"],
};

const sameSchema: [string, ObjectSchema][] = [
  [
    "zod",
    z.object({
      city: z.string().min(2),
      days: z.int(),
      unit: z.enum(["celsius", "fahrenheit"]).optional(),
      tags: z.array(z.string()).optional(),
    }),
  ],
  [
    "ArkType",
    type({ city: "string >= 2", days: "number.integer", "unit?": "'celsius' | 'fahrenheit'", "tags?": "string[]" }),
  ],
  [
    "Valibot",
    toStandardJsonSchema(
      v.object({
        city: v.pipe(v.string(), v.minLength(2)),
        days: v.pipe(v.number(), v.integer()),
        unit: v.optional(v.picklist(["celsius", "fahrenheit"])),
        tags: v.optional(v.array(v.string())),
      }),
    ),
  ],
  ["plain JSON Schema", plain],
];

describe.each(sameSchema)("the parameters of a tool as %s", (_, schema) => {
  const compiled = compileSchema(schema);

  it("give the model the same JSON Schema [schema.parameters]", () => {
    const { $defs, $schema, ...jsonSchema } = compiled.jsonSchema;

    expect([$defs, $schema]).toEqual([undefined, undefined]);
    expect(jsonSchema).toMatchObject({
      type: "object",
      properties: { city: plain.properties.city, tags: plain.properties.tags },
    });
    expect(jsonSchema["required"]).toEqual(["city", "days"]);
    expect(jsonSchema["properties"]).toMatchObject({
      days: { type: "integer" },
      unit: { enum: ["celsius", "fahrenheit"] },
    });
  });

  it.each([
    [{ city: "Oslo", days: 3 }, true],
    [{ city: "Oslo", days: 3, unit: "celsius", tags: ["a"] }, true],
    [{ city: "Oslo", days: 3.5 }, false],
    [{ city: "O", days: 3 }, false],
    [{ city: "Oslo" }, false],
    [{ city: "Oslo", days: Number.NaN }, false],
    [{ city: "Oslo", days: 3, unit: "kelvin" }, false],
    [{ city: "Oslo", days: 3, tags: [1] }, false],
    [[], false],
    [null, false],
    ["Oslo", false],
  ])("give the same verdict on %j", (value, fits) => {
    expect(compiled.validate(value)).toMatchObject({ ok: fits });
  });

  it("say where a value is wrong", () => {
    expect(compiled.validate({ city: "Oslo", days: 3, tags: ["a", 5] })).toMatchObject({
      ok: false,
      issues: [
        { path: ["tags", 1], message: expect.stringMatching(/string/i), expected: expect.stringContaining("string") },
      ],
    });
  });

  it("report a cycle, and a value that nests too deep, as a problem", () => {
    const cycle: Record<string, unknown> = { city: "Oslo", days: 3 };
    cycle["self"] = cycle;
    const deep = JSON.parse(`{"city":"Oslo","days":3,"x":${"[".repeat(10_000)}${"]".repeat(10_000)}}`);

    for (const value of [cycle, deep]) {
      expect(compiled.validate(value)).toEqual({
        ok: false,
        issues: [{ path: [], message: "nests deeper than 64 levels" }],
      });
    }
  });

  it("leave Object.prototype alone", () => {
    const hostile = JSON.parse(
      '{"city":"Oslo","days":3,"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}',
    );
    void compiled.validate(hostile);

    expect(Object.keys(Object.prototype)).toEqual([]);
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });
});

describe("compileSchema", () => {
  it("returns defaults and transformed values, and describes the input to the model", () => {
    const compiled = compileSchema(
      z.object({ days: z.int().default(3), at: z.string().transform((text) => text.length) }),
    );

    expect(compiled.validate({ at: "noon" })).toEqual({ ok: true, value: { days: 3, at: 4 } });
    expect(compiled.jsonSchema).toMatchObject({ required: ["at"], properties: { at: { type: "string" } } });
  });

  it("answers at once for schemas that check at once, and with a promise for those that do not", async () => {
    const later = compileSchema(z.object({ name: z.string().refine(async (name) => name !== "taken", "is taken") }));

    expect(compileSchema(plain).validate({})).not.toBeInstanceOf(Promise);
    expect(later.validate({ name: "taken" })).toBeInstanceOf(Promise);
    expect(await later.validate({ name: "taken" })).toEqual({
      ok: false,
      issues: [{ path: ["name"], message: "is taken" }],
    });
    expect(await later.validate({ name: "free" })).toEqual({ ok: true, value: { name: "free" } });
  });

  it("reports at most twenty problems", () => {
    const compiled = compileSchema(z.object({ list: z.array(z.string()) }));
    const verdict = compiled.validate({ list: Array.from({ length: 1000 }, (_, index) => index) });

    expect(verdict).toMatchObject({ ok: false, issues: { length: 20 } });
  });

  it("converts once, at once, and always returns the same frozen object", () => {
    let conversions = 0;
    const schema = z.object({ city: z.string() });
    const standard = { ...schema["~standard"], jsonSchema: { input: () => ((conversions += 1), { type: "object" }) } };
    const compiled = compileSchema({ "~standard": standard });

    expect(conversions).toBe(1);
    expect(compiled.jsonSchema).toBe(compiled.jsonSchema);
    expect(Object.isFrozen(compiled.jsonSchema["properties"])).toBe(true);
    expect(conversions).toBe(1);
  });

  it("ignores later changes of the JSON Schema that it was given", () => {
    const schema = { type: "object", properties: { a: { type: "string" } } };
    const compiled = compileSchema(schema);
    expect(compiled.validate({ a: 1 })).toMatchObject({ ok: false });
    schema.properties.a.type = "number";

    expect(compiled.validate({ a: 1 })).toMatchObject({ ok: false });
    expect(compiled.jsonSchema).toMatchObject({ properties: { a: { type: "string" } } });
  });

  it.each<[string, ObjectSchema, object]>([
    ["no arguments at all", {}, { type: "object", properties: {} }],
    ["an object without its type", { properties: { a: {} } }, { type: "object", properties: { a: {} } }],
    ["an object in zod without fields", z.object({}), { type: "object", properties: {} }],
  ])("puts an object at the root for %s", (_, schema, jsonSchema) => {
    expect(compileSchema(schema).jsonSchema).toEqual(jsonSchema);
    expect(compileSchema(schema).validate({})).toEqual({ ok: true, value: {} });
  });

  it("replaces the root of a recursive schema, which is a reference, with its definition", () => {
    const tree = type({ name: "string", "children?": "this[]" });
    const { jsonSchema } = compileSchema(tree);

    expect(jsonSchema).toMatchObject({ type: "object", properties: { name: { type: "string" } }, required: ["name"] });
    expect(jsonSchema["$ref"]).toBeUndefined();
  });

  it.each<ObjectSchema>([
    z.string(),
    z.union([z.object({ a: z.string() }), z.object({ b: z.string() })]),
    { type: "array" },
    { enum: [1] },
  ])("refuses arguments that are not an object", (schema) => {
    expect(() => compileSchema(schema, 'parameters of tool "weather"').jsonSchema).toThrow(
      'parameters of tool "weather" must have an object at its root. Wrap the schema in a property of one.',
    );
  });
});

describe("compileStructuredSchema", () => {
  it("leaves an object as it is [schema.structured]", () => {
    const compiled = compileStructuredSchema(z.object({ city: z.string() }));

    expect(compiled.jsonSchema).toEqual({
      type: "object",
      properties: { city: { type: "string" } },
      required: ["city"],
    });
    expect(compiled.validate({ city: "Oslo" })).toEqual({ ok: true, value: { city: "Oslo" } });
  });

  it.each<[string, ObjectSchema, unknown]>([
    ["an array", z.array(z.string()), ["a", "b"]],
    ["a choice of objects", z.union([z.object({ a: z.string() }), z.object({ b: z.string() })]), { a: "x" }],
    ["a plain array", { type: "array", items: { type: "string" } }, ["a"]],
    ["anything", z.unknown(), 5],
  ])("wraps %s in a property and unwraps the answer", (_, schema, value) => {
    const compiled = compileStructuredSchema(schema);

    expect(compiled.jsonSchema).toMatchObject({ type: "object", required: ["value"], additionalProperties: false });
    expect(compiled.validate({ value })).toEqual({ ok: true, value });
    expect(compiled.validate(value)).toMatchObject({ ok: false, issues: [{ path: ["value"] }] });
  });

  it("reports paths as they are in the answer", () => {
    const problem = { ok: false, issues: [{ path: ["value", 1] }] };

    expect(compileStructuredSchema(z.array(z.string())).validate({ value: ["a", 5] })).toMatchObject(problem);
  });

  it("accepts only an object for a schema that has nothing but properties", () => {
    expect(compileStructuredSchema({ properties: { a: {} } }).validate(5)).toMatchObject({ ok: false });
  });

  it("adjusts references when it wraps the root", () => {
    const list = z.object({ items: z.array(z.string()) }).meta({ id: "list" });
    const tree: z.ZodType = z.lazy(() => z.union([z.string(), z.array(tree)]));
    const compiled = compileStructuredSchema(z.union([tree, list]));
    // The whole wrapped schema still checks as one: each reference in it leads somewhere.
    const check = compileSchema({ ...compiled.jsonSchema });

    expect(check.validate({ value: [["a"], "b"] })).toMatchObject({ ok: true });
    expect(check.validate({ value: { items: ["a"] } })).toMatchObject({ ok: true });
    expect(check.validate({ value: [[5]] })).toMatchObject({ ok: false });
    const selfish = compileStructuredSchema({ type: "array", items: { $ref: "#" } });
    expect(selfish.jsonSchema["properties"]).toEqual({
      value: { type: "array", items: { $ref: "#/properties/value" } },
    });
  });
});
