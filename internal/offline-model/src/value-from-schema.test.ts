import { compileStructuredSchema } from "@troupe/core/transport";
import { describe, expect, it } from "vitest";
import { valueFromSchema } from "./value-from-schema.ts";

function valueOf(schema: Record<string, unknown>, answer = "", request = "How are you?"): unknown {
  return valueFromSchema(schema, { clause: request, request, answer, instructions: "" });
}

describe("valueFromSchema", () => {
  it("takes values for the fields from the answer and the request", () => {
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
    const answer = "In Oslo it is -9 °C with rain.";

    expect(valueOf(schema, answer, "Plan 3 days for 2 in oslo")).toEqual({
      city: "Oslo",
      temperature: -9,
      sky: "rain",
      advice: answer,
      days: 3,
    });
  });

  it("uses null or unknown for missing values where the schema allows it", () => {
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

  it("picks the option whose description in the instructions fits", () => {
    const source = {
      clause: "Will it rain?",
      request: "Will it rain?",
      answer: "",
      instructions: "Its members are:\n- ada: Does arithmetic.\n- bob: Knows the weather.",
    };

    expect(valueFromSchema({ enum: ["ada", "bob"] }, source)).toBe("bob");
  });

  it.each<[what: string, schema: Record<string, unknown>]>([
    ["a string with a length", { type: "string", minLength: 40, maxLength: 41 }],
    ["a short string", { type: "string", maxLength: 3 }],
    ["a date", { type: "string", format: "date" }],
    ["an integer between inclusive bounds", { type: "integer", minimum: 7, maximum: 8 }],
    ["a number between exclusive bounds", { type: "number", exclusiveMinimum: 3, exclusiveMaximum: 4 }],
    ["a multiple", { type: "integer", multipleOf: 5, minimum: 11 }],
    ["a number with a maximum", { type: "number", maximum: -1 }],
    ["a constant", { const: { a: [1] } }],
    ["an array that may be empty", { type: "array", items: { type: "string" } }],
    ["an array that may not be empty", { type: "array", items: { type: "boolean" }, minItems: 2 }],
    ["null", { type: "null" }],
    [
      "one of several alternatives",
      { oneOf: [{ type: "object", properties: { a: { const: 1 } }, required: ["a"] }, { const: 2 }] },
    ],
    [
      "a value that meets allOf",
      {
        allOf: [
          { type: "object", properties: { a: { type: "string" } }, required: ["a"] },
          { type: "object", properties: { b: { type: "number" } }, required: ["b"] },
        ],
      },
    ],
    [
      "a recursive object",
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
  ])("makes %s that is valid under its schema", async (_what, schema) => {
    const compiled = compileStructuredSchema(schema, "answer");
    const value = valueFromSchema(compiled.jsonSchema, { clause: "", request: "", answer: "", instructions: "" });

    expect(await compiled.validate(value)).toMatchObject({ ok: true });
  });
});
