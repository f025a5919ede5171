import { describe, expect, it } from "vitest";
import { fieldsOf, readForm, textOfField } from "./form-fields.ts";
import type { FormField } from "./form-fields.ts";

const object = (properties: Record<string, unknown>, more: object = {}) => ({ type: "object", properties, ...more });

function fieldOf(property: unknown, more: object = {}): FormField | undefined {
  return fieldsOf(object({ field: property }, more))?.[0];
}

describe("the fields of a schema", () => {
  it.each([
    [{ type: "string" }, "text", {}],
    [{ type: "string", minLength: 1, maxLength: 9, pattern: "^a" }, "text", { minLength: 1, maxLength: 9 }],
    [{ type: "string", format: "date" }, "text", { type: "date" }],
    [{ type: "string", format: "uri" }, "text", { type: "url" }],
    [{ type: "string", format: "hostname" }, "text", {}],
    [{ type: "string", format: "constructor" }, "text", {}],
    [{ type: "number", minimum: 0.5 }, "number", { min: 0.5, step: "any" }],
    [{ type: "integer", minimum: -1, maximum: 0 }, "number", { min: -1, max: 0, step: 1 }],
    [{ type: "boolean" }, "switch", {}],
    [{ enum: ["a", 1, null] }, "choice", {}],
    [{ const: "a" }, "choice", {}],
    [{ type: "array", items: { type: "string" } }, "lines", {}],
    [{ type: "array", items: { type: "object" } }, "json", {}],
    [{ type: "array" }, "json", {}],
    [{ type: "object", properties: {} }, "json", {}],
    [{ type: ["string", "number"] }, "json", {}],
    [{}, "json", {}],
    [true, "json", {}],
    [null, "json", {}],
  ])("the fields of a schema of %j are of the kind %s with the limits %j", (property, kind, limits) => {
    expect(fieldOf(property)).toMatchObject({ kind, limits });
  });

  it.each([
    [{ type: ["string", "null"] }, "text"],
    [{ anyOf: [{ type: "integer" }, { type: "null" }] }, "number"],
    [{ oneOf: [{ type: "null" }, { $ref: "#/$defs/none" }] }, "json"],
    [{ $ref: "#/$defs/city" }, "text"],
    [{ $ref: "#/$defs/none" }, "json"],
    [{ $ref: "#/$defs/constructor" }, "json"],
    [{ $ref: "#/$defs/self" }, "json"],
    [{ $ref: "https://example.com" }, "json"],
  ])(
    "the fields of a schema of %j, which refers to another schema or allows null, are of the kind %s",
    (property, kind) => {
      const $defs = { city: { type: "string" }, self: { $ref: "#/$defs/self" } };
      expect(fieldOf(property, { $defs })?.kind).toBe(kind);
    },
  );

  it("have the titles and the values of named choices", () => {
    const choice = { oneOf: [{ const: "de", title: "Deutsch" }, { const: 2 }], default: 2 };
    expect(fieldOf(choice)).toMatchObject({
      start: "1",
      choices: [
        { label: "Deutsch", value: "de" },
        { label: "2", value: 2 },
      ],
    });
    expect(fieldOf({ enum: ["a"], default: "b" })).not.toHaveProperty("start");
  });

  it.each([
    ["city", "City"],
    ["arrivalDate", "Arrival date"],
    ["arrival_date", "Arrival date"],
    ["größeÜber", "Größe über"],
    ["mp3Url", "Mp3 url"],
    ["", ""],
    ["__", "__"],
  ])("are named in words: %j is %j", (name, label) => {
    expect(fieldsOf(object({ [name]: {} }))?.[0]).toMatchObject({ name, label });
  });

  it("have the title, the description and the need that the schema has", () => {
    const [city, days] =
      fieldsOf(
        object(
          { city: { title: "Ville", description: "Où?" }, days: { title: " ", description: "" } },
          { required: ["city"] },
        ),
      ) ?? [];
    expect(city).toMatchObject({ label: "Ville", hint: "Où?", isRequired: true });
    expect(days).toMatchObject({ label: "Days", isRequired: false });
    expect(days).not.toHaveProperty("hint");
  });

  it.each([undefined, null, "x", [], {}, { type: "object" }, object({}), { properties: [] }])(
    "the fields of a schema of %j are none: the workflow takes a text then",
    (schema) => {
      expect(fieldsOf(schema)).toBeUndefined();
    },
  );
});

describe("the text of a field", () => {
  it.each([
    [{ type: "string", default: "Oslo" }, "Oslo"],
    [{ type: "integer", default: 0 }, "0"],
    [{ type: "boolean", default: true }, "true"],
    [{ type: "array", items: { type: "string" }, default: ["a", "é"] }, "a\né"],
    [{ type: "object", default: { a: 1 } }, '{"a":1}'],
    [{ type: "string" }, ""],
  ])("the text of a field of %j is its default until it is changed: %j", (property, text) => {
    const field = fieldOf(property);
    expect(field && textOfField(field, {})).toBe(text);
    expect(field && textOfField(field, { field: "" })).toBe("");
    expect(field && textOfField(field, { field: "x" })).toBe("x");
  });

  it("is not that of a property which all objects have", () => {
    const [field] = fieldsOf(object({ constructor: { type: "string" } })) ?? [];
    expect(field && textOfField(field, {})).toBe("");
  });
});

describe("a form", () => {
  const schema = object(
    {
      city: { type: "string" },
      days: { type: "integer", default: 2 },
      isDry: { type: "boolean" },
      language: { enum: ["de", null] },
      tags: { type: "array", items: { type: "string" } },
      hours: { type: "array", items: { type: "integer" } },
      more: { type: "object" },
    },
    { required: ["city"] },
  );
  const fields = fieldsOf(schema) ?? [];

  it("gives an input of the fields that have a text", () => {
    expect(readForm(fields, { city: " Oslo " })).toEqual({ fields: { city: " Oslo ", days: 2 }, faults: {} });
    const texts = {
      city: "é",
      days: "-1",
      isDry: "false",
      language: "1",
      tags: " a \n\nb",
      hours: "1\n2.5",
      more: '{"a":[]}',
    };
    expect(readForm(fields, texts)).toEqual({
      fields: { city: "é", days: -1, isDry: false, language: null, tags: ["a", "b"], hours: [1, 2.5], more: { a: [] } },
      faults: {},
    });
  });

  it("has a sentence for each field that cannot be read", () => {
    expect(readForm(fields, { city: " \n", days: "two", hours: "1\nx", more: "{" }).faults).toEqual({
      city: "City is missing.",
      days: "Days must be a number.",
      hours: "Hours must have a number on each line.",
      more: "More must be JSON.",
    });
  });

  it("answers a required switch that nobody has touched with no", () => {
    const required = fieldsOf(object({ isDry: { type: "boolean" } }, { required: ["isDry"] })) ?? [];
    expect(readForm(required, {})).toEqual({ fields: { isDry: false }, faults: {} });
  });
});
