import { describe, expect, it } from "vitest";
import { hasValidHeaderMarks, withoutHeaderMarks } from "./header-marks.ts";

const marked = (name: unknown, type: unknown = "string") => ({ type, "x-mcp-header": name });
const objectOf = (properties: object, more: object = {}) => ({ type: "object", properties, ...more });

describe("the marks of a schema", () => {
  it.each<[string, unknown]>([
    ["no schema", undefined],
    ["null", null],
    ["a schema that is a boolean", true],
    ["no marks", objectOf({ a: { type: "string" } })],
    ["properties that are null", { properties: null }],
    ["marks of each type", objectOf({ a: marked("A"), b: marked("B", "integer"), c: marked("C", "boolean") })],
    ["each character of a header's name", objectOf({ a: marked("!#$%&'*+-.^_`|~09AZaz") })],
    ["a property of a property", objectOf({ a: objectOf({ b: objectOf({ c: marked("Region") }) }) })],
    ["a property that has the name of the mark", objectOf({ "x-mcp-header": { type: "array" } })],
    ["a property that has the name of an inner field", objectOf({ items: marked("A"), not: marked("B") })],
    ["inner schemas without marks", { items: objectOf({ a: {} }), anyOf: [{}, true], $defs: { a: {} } }],
    ["an example with the mark", objectOf({ a: { type: "object", default: marked("A", "array") } })],
  ])("are valid with %s", (_, schema) => {
    expect(hasValidHeaderMarks(schema)).toBe(true);
  });

  it.each<[unknown]>([[""], ["a b"], ["a:b"], ["a\nb"], ["a\n"], ["é"], ["(a)"], [7], [["a"]], [null], [undefined]])(
    "are wrong with the name %j",
    (name) => {
      expect(hasValidHeaderMarks(objectOf({ a: marked(name) }))).toBe(false);
    },
  );

  it.each(["number", "object", "array", "null", undefined, "String", ["string"]])(
    "are wrong at a property of the type %j",
    (type) => {
      expect(hasValidHeaderMarks(objectOf({ a: { type, "x-mcp-header": "A" } }))).toBe(false);
    },
  );

  it("are wrong where two have one name, whatever their letters' case and place", () => {
    expect(hasValidHeaderMarks(objectOf({ a: marked("Region"), b: objectOf({ c: marked("rEGION") }) }))).toBe(false);
    expect(hasValidHeaderMarks(objectOf({ a: marked("Region"), b: marked("Region2") }))).toBe(true);
  });

  it("are judged anew for each schema", () => {
    const schema = objectOf({ a: marked("Region") });
    expect([hasValidHeaderMarks(schema), hasValidHeaderMarks(schema)]).toEqual([true, true]);
  });

  it("are wrong at the root", () => {
    expect(hasValidHeaderMarks(marked("A"))).toBe(false);
  });

  it.each(["patternProperties", "dependentSchemas", "$defs", "definitions"])("are wrong by name in %s", (field) => {
    expect(hasValidHeaderMarks({ [field]: { a: {}, b: marked("A") } })).toBe(false);
    expect(hasValidHeaderMarks(objectOf({ o: { [field]: { b: objectOf({ c: marked("A") }) } } }))).toBe(false);
  });

  it.each(
    "items prefixItems contains additionalProperties unevaluatedProperties unevaluatedItems propertyNames oneOf anyOf allOf not if then else".split(
      " ",
    ),
  )("are wrong in %s, as one schema or a list", (field) => {
    for (const inner of [marked("A"), [{}, marked("A")], objectOf({ b: objectOf({ c: marked("A") }) })]) {
      expect(hasValidHeaderMarks({ [field]: inner })).toBe(false);
      expect(hasValidHeaderMarks(objectOf({ o: { [field]: inner } }))).toBe(false);
    }
  });
});

describe("a schema without marks", () => {
  it("has all else, and leaves the given one as it is", () => {
    const inner = { type: "object", title: "T", properties: { b: { ...marked("B"), enum: ["x"] }, c: true, d: null } };
    const schema = objectOf({ a: inner, "x-mcp-header": { type: "string" } }, { "x-mcp-header": "R", required: ["a"] });
    const before = structuredClone(schema);

    expect(withoutHeaderMarks(schema)).toStrictEqual({
      type: "object",
      properties: {
        a: { type: "object", title: "T", properties: { b: { type: "string", enum: ["x"] }, c: true, d: null } },
        "x-mcp-header": { type: "string" },
      },
      required: ["a"],
    });
    expect(schema).toStrictEqual(before);
  });

  it.each([[{}], [{ properties: null }], [{ properties: "none" }], [{ type: "string" }]])(
    "is %j as it was",
    (schema) => {
      expect(withoutHeaderMarks({ ...schema, "x-mcp-header": 7 })).toStrictEqual(schema);
    },
  );
});
