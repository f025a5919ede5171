import { describe, expect, it } from "vitest";
import { toEnforcedSchema } from "./to-enforced-schema.ts";

const closed = { type: "object", properties: {}, additionalProperties: false };

describe("toEnforcedSchema", () => {
  it.each<[string, object, object]>([
    ["an empty object", { type: "object" }, closed],
    [
      "an open object",
      { type: "object", properties: { a: { type: "string" } }, required: ["a"], additionalProperties: true },
      { type: "object", properties: { a: { type: "string" } }, required: ["a"], additionalProperties: false },
    ],
    ["wrong properties", { type: "object", properties: [] }, closed],
    [
      "an object within",
      { type: "object", properties: { a: { type: "object", title: "T" } } },
      { ...closed, properties: { a: { ...closed, title: "T" } } },
    ],
    [
      "a list",
      { type: "array", items: { type: "object" }, minItems: 1 },
      { type: "array", items: closed, minItems: 1 },
    ],
    ["a list of anything", { type: "array", minItems: 0 }, { type: "array", minItems: 0 }],
    [
      "a list of two",
      { type: "array", items: { type: "string" }, minItems: 2, maxItems: 3 },
      { type: "array", items: { type: "string" }, description: "{minItems: 2, maxItems: 3}" },
    ],
    ["limits of a number", { type: "number", minimum: 1 }, { type: "number", description: "{minimum: 1}" }],
    [
      "limits behind words",
      { type: "string", description: "A name.", minLength: 1, pattern: "^a" },
      { type: "string", description: 'A name.\n\n{minLength: 1, pattern: "^a"}' },
    ],
    ["words alone", { type: "string", description: "A name." }, { type: "string", description: "A name." }],
    ["empty words", { type: "string", description: "" }, { type: "string" }],
    ["its dialect", { $schema: "http://json-schema.org/draft-07/schema#", type: "null" }, { type: "null" }],
    ["values", { type: "string", enum: ["a", null], title: "T" }, { enum: ["a", null], title: "T" }],
    ["one value", { type: "number", const: 0 }, { const: 0 }],
    ["no values", { type: "string", enum: [] }, { type: "string", description: "{enum: []}" }],
    ["values with parts", { type: "array", enum: [[1]] }, { type: "array", description: "{enum: [[1]]}" }],
    ["a number with a format", { type: "number", format: "date" }, { type: "number", description: '{format: "date"}' }],
    ["an unknown format", { type: "string", format: "iri" }, { type: "string", description: '{format: "iri"}' }],
    [
      "definitions",
      { type: "object", $defs: { a: { type: "object" }, b: { type: "string", minLength: 1 } } },
      { ...closed, $defs: { a: closed, b: { type: "string", description: "{minLength: 1}" } } },
    ],
    [
      "a reference",
      { $ref: "#/$defs/a", description: "x", $defs: { a: { type: "object" } } },
      { $ref: "#/$defs/a", $defs: { a: closed } },
    ],
    ["any of two", { anyOf: [{ type: "object" }, { type: "null" }] }, { anyOf: [closed, { type: "null" }] }],
    ["one of two", { oneOf: [{ type: "object" }], title: "T" }, { anyOf: [closed], title: "T" }],
    ["both choices", { oneOf: [{ type: "null" }], anyOf: [{ type: "string" }] }, { anyOf: [{ type: "string" }] }],
    ["all of some", { allOf: [{ type: "object" }] }, { allOf: [closed] }],
  ])("converts %s", (_, schema, expected) => {
    const before = structuredClone(schema);

    expect(toEnforcedSchema(schema as Record<string, unknown>)).toStrictEqual(expected);
    expect(schema).toEqual(before);
  });

  it.each(["date", "date-time", "duration", "email", "hostname", "ipv4", "ipv6", "time", "uri", "uuid"])(
    "keeps the format %s",
    (format) => {
      expect(toEnforcedSchema({ type: "string", format })).toStrictEqual({ type: "string", format });
    },
  );
});
