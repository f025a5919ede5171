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

  it.each<[what: string, schema: Record<string, unknown>, expected: unknown]>([
    ["a constant, whatever the texts say", { const: "x", enum: ["rain"] }, "x"],
    ["a constant that is undefined", { const: undefined, default: 1 }, undefined],
    ["a default, where the texts have nothing", { type: "string", default: "x" }, "x"],
    ["a default of null", { type: "string", default: null }, null],
    ["a found value before the default", { enum: ["sun", "rain"], default: "sun" }, "rain"],
    ["a default before null", { type: ["string", "null"], default: "x" }, "x"],
    ["a found value before null", { type: ["number", "null"] }, 12],
    ["the first option, where none is found", { enum: ["zebra", "okapi"] }, "zebra"],
    ["its own name, made up", { type: "string" }, "made up (answer)"],
    ["false for a boolean that the texts do not mention", { type: "boolean" }, false],
    ["null for an unknown type", { type: "symbol" }, null],
  ])("makes %s", (_what, schema, expected) => {
    expect(valueOf(schema, "", "Rain: 12 mm.")).toEqual(expected);
  });

  it.each<[schema: Record<string, unknown>, expected: number]>([
    [{ type: "number" }, 12.5],
    [{ type: "integer" }, 13],
    [{ type: "integer", maximum: 12 }, 12],
    [{ type: "number", minimum: 12.5, maximum: 12.5 }, 12.5],
    [{ type: "number", minimum: 13.5 }, 13.5],
    [{ type: "number", maximum: 11.5 }, 11.5],
    [{ type: "number", exclusiveMinimum: 12.5 }, 12.501],
    [{ type: "number", exclusiveMaximum: 12.5 }, 12.499],
    [{ type: "integer", exclusiveMinimum: 20 }, 21],
    [{ type: "integer", exclusiveMaximum: 10 }, 9],
    [{ type: "number", minimum: 14, exclusiveMinimum: 13 }, 14],
    [{ type: "number", maximum: 10, exclusiveMaximum: 11 }, 10],
    [{ type: "number", multipleOf: 5 }, 15],
    [{ type: "number", multipleOf: 5, maximum: 14 }, 10],
    [{ type: "number", multipleOf: 5, maximum: 15 }, 15],
    [{ type: "integer", multipleOf: 5, exclusiveMaximum: 15 }, 10],
    [{ type: "number", multipleOf: 0.5, exclusiveMaximum: 12 }, 11.5],
  ])("makes of 12.5 the nearest number that %j allows: %j", (schema, expected) => {
    expect(valueOf(schema, "", "It is 12.5")).toBeCloseTo(expected, 10);
  });

  it("makes 0 for a number that the texts do not have", () => {
    expect(valueOf({ type: "number" })).toBe(0);
  });

  it("leaves out an optional field that the texts do not have, or only in a form that its schema does not allow", () => {
    const properties = {
      mail: { type: "string", format: "email" },
      city: { type: "string", maxLength: 4 },
      town: { type: "string", maxLength: 3 },
      sky: { enum: ["sun", "rain"] },
      wind: { enum: ["storm", "calm"] },
      days: { type: "integer" },
      weeks: { type: "integer" },
      nights: { anyOf: [{ type: "integer" }, { type: "string" }] },
      tags: { type: "array", items: { type: "string" } },
      author: { type: ["string", "null"] },
    };

    expect(valueOf({ type: "object", properties }, "", "Rain in Oslo for 3 days and 2 nights?")).toEqual({
      city: "Oslo",
      sky: "rain",
      days: 3,
      nights: 2,
    });
  });

  it("gives each field with a pattern a word of its own", () => {
    const code = { type: "string", pattern: "^[A-Z]{3}$" };
    const properties = { first: code, second: code, third: { anyOf: [code] } };
    const schema = { type: "object", properties, required: ["first", "second", "third"] };

    expect(valueOf(schema, "", "Fly OSL, JFK, SFO")).toEqual({ first: "OSL", second: "JFK", third: "SFO" });
    expect(valueOf(schema, "", "Fly OSL")).toEqual({ first: "OSL", second: "AAA", third: "AAA" });
  });

  it("makes the items of a found array valid under the schema of an item", () => {
    const found = "Colours: red, green. Sizes: 7 and 40.5";

    expect(valueOf({ type: "array", items: { type: "string", maxLength: 4 } }, "", "Items: red, green")).toEqual([
      "red",
      "gree",
    ]);
    expect(valueOf({ type: "array", items: { type: "number", maximum: 10 } }, "", found)).toEqual([7, 10]);
    expect(valueOf({ type: "array", items: { enum: ["red", "blue", "green"], maxLength: 1 } }, "", found)).toEqual([
      "red",
      "green",
    ]);
  });

  it.each<[more: object, length: number]>([
    [{}, 0],
    [{ minItems: 1 }, 1],
    [{ minItems: "2" }, 0],
  ])("invents as many items as %j requires", (more, length) => {
    const schema = { type: "array", items: { type: "boolean" }, ...more };

    expect(valueOf(schema)).toEqual(Array<boolean>(length).fill(false));
  });

  it("repeats the only number of the texts in an array that requires two", () => {
    expect(valueOf({ type: "array", items: { type: "integer" }, minItems: 2 }, "", "Book 7")).toEqual([7, 7]);
  });

  it("uses the first alternative to a depth of 4 and the last from a depth of 5", () => {
    const node = {
      type: "object",
      properties: { next: { anyOf: [{ $ref: "#/$defs/node" }, { const: "middle" }, { const: "end" }] } },
      required: ["next"],
    };

    expect(valueOf({ $defs: { node }, $ref: "#/$defs/node" })).toEqual({
      next: { next: { next: { next: { next: "end" } } } },
    });
  });

  it("merges the fields of allOf, their requirements and its alternative into the schema beside them", () => {
    const schema = {
      properties: { a: { const: 1 }, b: { const: 2 } },
      required: ["a"],
      allOf: [{ properties: { c: { const: 3 } }, required: ["c"] }, { required: ["b"] }],
      anyOf: [{ properties: { d: { const: 4 } }, required: ["d"] }, { const: "other" }],
    };

    expect(valueOf(schema)).toEqual({ a: 1, b: 2, c: 3, d: 4 });
  });

  it("prefers the limits of allOf to those beside it", () => {
    expect(valueOf({ type: "string", maxLength: 6, allOf: [{ maxLength: 4 }] })).toBe("made");
  });
});

describe("valueFromSchema's list of invented fields", () => {
  function inventedIn(properties: Record<string, unknown>, answer = "", request = "How are you?"): string[] {
    const invented: string[] = [];
    const schema = { type: "object", properties, required: Object.keys(properties) };
    valueFromSchema(schema, { clause: request, request, answer, instructions: "" }, { invented });
    return invented;
  }

  it("names each value that is not in the texts, in the order of the fields", () => {
    const properties = {
      note: { type: "string" },
      count: { type: "number" },
      isOn: { type: "boolean" },
      sky: { enum: ["sun", "rain"] },
      inner: { type: "object", properties: { deep: { type: "string" } }, required: ["deep"] },
      list: { type: "array", items: { type: "boolean" }, minItems: 2 },
    };

    expect(inventedIn(properties)).toEqual(["note", "count", "isOn", "sky", "deep", "list", "list"]);
  });

  it("names no value that was found, nor a constant, a default, null or an empty array", () => {
    const properties = {
      city: { type: "string" },
      days: { type: "integer" },
      isOn: { type: "boolean" },
      sky: { enum: ["sun", "rain"] },
      fixed: { const: 1 },
      usual: { type: "string", default: "x" },
      missing: { type: ["string", "null"] },
      list: { type: "array", items: { type: "boolean" } },
    };

    expect(inventedIn(properties, "", "3 days of rain in Oslo, is on")).toEqual([]);
  });

  it.each<[schema: Record<string, unknown>, expected: string[]]>([
    [{ type: "string" }, []],
    [{ type: "string", minLength: 17, maxLength: 17 }, []],
    [{ type: "string", maxLength: 16 }, ["advice"]],
    [{ type: "string", minLength: 18 }, ["advice"]],
    [{ type: "string", pattern: "^T" }, []],
    [{ type: "string", pattern: "^t$" }, ["advice"]],
  ])("names a found string of 17 characters only if %j changed it: %j", (schema, expected) => {
    expect(inventedIn({ advice: schema }, "Take an umbrella.")).toEqual(expected);
  });
});
