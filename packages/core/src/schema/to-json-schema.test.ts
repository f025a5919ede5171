import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import * as v from "valibot";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import type { ObjectSchema } from "./object-schema.ts";
import { toJsonSchema } from "./to-json-schema.ts";

const refine = () => true;

describe("toJsonSchema", () => {
  it.each<[string, ObjectSchema]>([
    ["zod", z.object({ a: z.string(), b: z.number().default(1) })],
    ["ArkType", type({ a: "string", b: "number = 1" })],
    ["Valibot", toStandardJsonSchema(v.object({ a: v.string(), b: v.optional(v.number(), 1) }))],
  ])("describes the input, without $schema: %s", (_, schema) => {
    expect(toJsonSchema(schema)).toMatchObject({
      type: "object",
      properties: { b: { type: "number" } },
      required: ["a"],
    });
    expect(toJsonSchema(schema)).not.toHaveProperty("$schema");
  });

  it.each<[string, () => ObjectSchema]>([
    ["zod", () => z.object({ b: z.enum(["y", "x"]), a: z.union([z.string(), z.number()]).optional() })],
    ["ArkType", () => type({ b: "'y' | 'x'", "a?": "string | number" })],
    ["Valibot", () => toStandardJsonSchema(v.object({ b: v.picklist(["y", "x"]), a: v.optional(v.string()) }))],
    ["JSON Schema", () => ({ type: "object", required: ["b"], properties: { b: { type: "string" }, a: {} } })],
  ])("has its keys in one order, whatever was made before: %s [cache.stable-schemas]", (_, make) => {
    const before = JSON.stringify(toJsonSchema(make()));
    const others = [z.object({ a: z.number(), b: z.string() }), type({ a: "number | string", b: "'x' | 'z' | 'y'" })];
    for (const other of others) toJsonSchema(other);

    expect(JSON.stringify(toJsonSchema(make()))).toBe(before);
  });

  it("returns a new object each time", () => {
    const schema = { type: "object", properties: { a: {} } };
    const first = toJsonSchema(schema);

    expect(first).toEqual(schema);
    expect(first).not.toBe(schema);
    expect(first["properties"]).not.toBe(schema.properties);
  });

  it.each<[string, ObjectSchema]>([
    ["zod", z.object({ a: z.string().refine(refine).transform(Number) })],
    ["ArkType", type({ a: type("string").narrow(refine).pipe(Number) })],
    ["Valibot", toStandardJsonSchema(v.object({ a: v.pipe(v.string(), v.check(refine), v.transform(Number)) }))],
  ])("accepts refinements and transformations: %s", (_, schema) => {
    expect(toJsonSchema(schema)).toMatchObject({ properties: { a: { type: "string" } } });
  });

  it.each<[string, ObjectSchema, string]>([
    [
      "zod",
      z.object({ trip: z.object({ days: z.array(z.date()) }) }),
      'at "trip.days.*", the type date does not exist in JSON.',
    ],
    ["zod", z.object({ size: z.bigint() }), 'at "size", the type bigint does not exist in JSON.'],
    ["zod", z.date(), "at its root, the type date does not exist in JSON."],
    ["ArkType", type({ trip: { at: "Date" } }), 'at "trip.at", a Date does not exist in JSON.'],
    ["ArkType", type({ size: "bigint" }), 'at "size", a bigint does not exist in JSON.'],
    ["ArkType", type({ places: "Map" }), 'at "places", a class does not exist in JSON.'],
    [
      "Valibot",
      toStandardJsonSchema(v.object({ trip: v.object({ at: v.date() }) })),
      'at "trip.at", the type date does not exist in JSON.',
    ],
  ])("names the place of a type that JSON does not have: %s", (_, schema, problem) => {
    expect(() => toJsonSchema(schema, "parameters")).toThrow(
      expect.objectContaining({ code: "invalid_config", message: `parameters has no JSON Schema: ${problem}` }),
    );
  });

  it("quotes the library when it finds no place", () => {
    const schema = {
      "~standard": {
        version: 1,
        vendor: "acme",
        validate: (value: unknown) => ({ value }),
        jsonSchema: {
          input: (): Record<string, unknown> => {
            throw new Error("Not today.");
          },
        },
      },
    } as const;

    expect(() => toJsonSchema(schema, "parameters")).toThrow("parameters has no JSON Schema: Not today.");
  });

  it("refuses a schema that is not JSON, and names the place", () => {
    const cycle: Record<string, unknown> = { type: "object" };
    cycle["not"] = cycle;
    const doubling = Array.from({ length: 100 }).reduce<object>((inner) => ({ anyOf: [inner, inner] }), {});

    expect(() => toJsonSchema({ properties: { a: { pattern: /a/ } } }, "parameters")).toThrow(
      "at #/properties/a/pattern, expected JSON",
    );
    expect(() => toJsonSchema({ type: "number", minimum: Number.NaN }, "parameters")).toThrow(
      "at #/minimum, expected JSON, got NaN",
    );
    expect(() => toJsonSchema(cycle, "parameters")).toThrow("at most 256 levels and no cycle");
    expect(() => toJsonSchema({ ...doubling }, "parameters")).toThrow("at most 100000 parts");
  });

  it("keeps a property named __proto__", () => {
    const schema = JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"}}}');

    expect(JSON.stringify(toJsonSchema(schema))).toBe(JSON.stringify(schema));
    expect(({} as Record<string, unknown>)["type"]).toBeUndefined();
  });
});
