import { toStandardJsonSchema } from "@valibot/to-json-schema";
import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { findUnrepresentable } from "./library-options.ts";
import { toJsonSchema } from "./to-json-schema.ts";

const date = { "x-unrepresentable": "a Date" };

describe("findUnrepresentable", () => {
  it.each<[string, unknown]>([
    ["", date],
    ["at", { properties: { at: date } }],
    ["items", { properties: { items: date } }],
    ["prefixItems", { properties: { prefixItems: date } }],
    ["additionalProperties", { properties: { additionalProperties: date } }],
    ["properties", { properties: { properties: date } }],
    ["$defs", { properties: { $defs: date } }],
    ["properties.at", { properties: { properties: { properties: { at: date } } } }],
    ["$defs.at", { properties: { $defs: { properties: { at: date } } } }],
    ["items.*", { properties: { items: { items: date } } }],
    ["*", { items: date }],
    ["*", { prefixItems: [{ type: "string" }, date] }],
    ["*", { additionalProperties: date }],
    ["*.at", { items: { properties: { at: date } } }],
    ["trip.days.*.at", { properties: { trip: { properties: { days: { items: { properties: { at: date } } } } } } }],
    ["Trip.at", { $defs: { Trip: { properties: { at: date } } } }],
    ["at", { allOf: [{ type: "object" }, { anyOf: [{ properties: { at: date } }] }] }],
    ['["a b"]', { properties: { "a b": date } }],
  ])("returns the path of the property, as in %j", (path, jsonSchema) => {
    expect(findUnrepresentable(jsonSchema)).toEqual({ path, what: "a Date" });
  });

  it("returns the first of several marks", () => {
    const bigint = { "x-unrepresentable": "a bigint" };

    expect(findUnrepresentable({ properties: { a: { type: "string" }, b: bigint, c: date } })).toEqual({
      path: "b",
      what: "a bigint",
    });
  });

  it.each([
    ["no mark", { properties: { at: { type: "string" } } }],
    ["a property that is named like the mark", { properties: { "x-unrepresentable": { type: "string" } } }],
    ["null", null],
    ["a string", "x-unrepresentable"],
    ["undefined", undefined],
  ])("returns undefined for %s", (_, jsonSchema) => {
    expect(findUnrepresentable(jsonSchema)).toBeUndefined();
  });

  it("gives up where a schema nests without end", () => {
    const cycle: Record<string, unknown> = { type: "object" };
    cycle["not"] = cycle;

    expect(findUnrepresentable(cycle)).toBeUndefined();
  });
});

describe("the options for Valibot", () => {
  const fits = () => true;
  const pass = () => undefined;
  const dates = v.object({ from: v.string(), until: v.string() });

  it.each([
    ["check", v.object({ a: v.pipe(v.string(), v.check(fits)) })],
    ["checkItems", v.object({ a: v.pipe(v.array(v.string()), v.checkItems(fits)) })],
    ["rawCheck", v.object({ a: v.pipe(v.string(), v.rawCheck(pass)) })],
    ["partialCheck", v.object({ a: v.pipe(dates, v.partialCheck([["from"], ["until"]], fits)) })],
  ])("leave out the function of %s", (_, schema) => {
    const { a } = toJsonSchema(toStandardJsonSchema(schema as v.GenericSchema))["properties"] as {
      a: { type: string };
    };

    expect(["string", "array", "object"]).toContain(a.type);
  });

  it("name the place of a type that JSON does not have beside a check", () => {
    const schema = v.object({ ok: v.pipe(v.string(), v.check(fits)), at: v.array(v.object({ day: v.date() })) });

    expect(() => toJsonSchema(toStandardJsonSchema(schema))).toThrow(
      'schema has no JSON Schema: at "at.*.day", the type date does not exist in JSON.',
    );
  });
});
