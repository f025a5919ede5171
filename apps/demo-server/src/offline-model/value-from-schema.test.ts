import { compileStructuredSchema } from "@troupe/core/adapter";
import { describe, expect, it } from "vitest";
import { valueFromSchema } from "./value-from-schema.ts";

function valueOf(schema: Record<string, unknown>, known = "", request = "How are you?"): unknown {
  return valueFromSchema(schema, { clause: request, request, known, instructions: "" });
}

describe("valueFromSchema", () => {
  it("puts what is known where it belongs", () => {
    const schema = {
      type: "object",
      properties: {
        city: { type: "string" },
        temperature: { type: "number" },
        sky: { enum: ["sun", "rain"] },
        advice: { type: "string" },
        days: { type: "integer" },
      },
      required: ["city", "temperature", "sky", "advice", "days"],
    };
    const known = "In Oslo it is -9 °C with rain.";

    expect(valueOf(schema, known, "Plan 3 days for 2 in oslo")).toEqual({
      city: "Oslo",
      temperature: -9,
      sky: "rain",
      advice: known,
      days: 3,
    });
  });

  it("says that it does not know where the schema has room for that", () => {
    const schema = {
      type: "object",
      properties: {
        sky: { enum: ["sun", "unknown"] },
        degrees: { type: ["number", "null"] },
        author: { anyOf: [{ type: "string" }, { type: "null" }] },
      },
      required: ["sky", "degrees", "author"],
    };

    expect(valueOf(schema)).toEqual({ sky: "unknown", degrees: null, author: null });
  });

  it("picks the one of a list whose description fits", () => {
    const reading = {
      clause: "Will it rain?",
      request: "Will it rain?",
      known: "",
      instructions: "Its members are:\n- ada: Does arithmetic.\n- bob: Knows the weather.",
    };

    expect(valueFromSchema({ enum: ["ada", "bob"] }, reading)).toBe("bob");
  });

  it.each<[what: string, schema: Record<string, unknown>]>([
    ["a text of a length", { type: "string", minLength: 40, maxLength: 41 }],
    ["a short text", { type: "string", maxLength: 3 }],
    ["a date", { type: "string", format: "date" }],
    ["an integer within bounds", { type: "integer", minimum: 7, maximum: 8 }],
    ["a number between open borders", { type: "number", exclusiveMinimum: 3, exclusiveMaximum: 4 }],
    ["a multiple", { type: "integer", multipleOf: 5, minimum: 11 }],
    ["a number that is at most", { type: "number", maximum: -1 }],
    ["a constant", { const: { a: [1] } }],
    ["a list that may be empty", { type: "array", items: { type: "string" } }],
    ["a list that may not", { type: "array", items: { type: "boolean" }, minItems: 2 }],
    ["null", { type: "null" }],
    ["one of several", { oneOf: [{ type: "object", properties: { a: { const: 1 } }, required: ["a"] }, { const: 2 }] }],
    [
      "all of several",
      {
        allOf: [
          { type: "object", properties: { a: { type: "string" } }, required: ["a"] },
          { type: "object", properties: { b: { type: "number" } }, required: ["b"] },
        ],
      },
    ],
    [
      "itself",
      {
        $defs: {
          node: {
            type: "object",
            properties: { next: { anyOf: [{ $ref: "#/$defs/node" }, { type: "boolean" }] } },
            required: ["next"],
          },
        },
        $ref: "#/$defs/node",
      },
    ],
  ])("makes %s that its schema takes", async (_what, schema) => {
    const compiled = compileStructuredSchema(schema, "answer");
    const value = valueFromSchema(compiled.jsonSchema, { clause: "", request: "", known: "", instructions: "" });

    expect(await compiled.validate(value)).toMatchObject({ ok: true });
  });
});
