import { describe, expect, it } from "vitest";
import { fitsStrict } from "./fits-strict.ts";
import { modelOf, question, startVendor } from "../test/ask.ts";

const object = (properties: object, more: object = {}) => ({
  type: "object",
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
  ...more,
});
const string = { type: "string" };

describe("a schema that is followed strictly as it stands", () => {
  it.each<[what: string, schema: object]>([
    ["an object without fields", object({})],
    ["fields that all have to be there", object({ a: string, b: { type: ["number", "null"] } })],
    ["objects within objects and lists", object({ a: object({}), b: { type: "array", items: object({ c: string }) } })],
    ["a choice", object({ a: { anyOf: [string, { type: "null" }] } })],
    ["itself", object({ next: { $ref: "#" } })],
    ["names for parts", object({ a: { $ref: "#/$defs/a" } }, { $defs: { a: object({}) } })],
    ["limits", object({ a: { type: "string", minLength: 1, pattern: "^a$", format: "email" }, b: { enum: [1, 2] } })],
  ])("may hold %s", async (_what, schema) => {
    expect(fitsStrict(schema)).toBe(true);
    const exchange = await sendTool(schema);
    expect(exchange?.request.body).toMatchObject({ tools: [{ strict: true }] });
    expect(exchange?.refusal).toBeUndefined();
  });

  it.each<[what: string, schema: unknown]>([
    ["is open", { type: "object", properties: {}, required: [] }],
    ["is open on purpose", object({}, { additionalProperties: string })],
    ["has a field that may be missing", object({ a: string }, { required: [] })],
    ["has such a field deep inside", object({ a: { type: "array", items: object({ b: string }, { required: [] }) } })],
    ["has such a field in a part with a name", object({}, { $defs: { a: object({ b: string }, { required: [] }) } })],
    ["has a default", object({ a: { ...string, default: "x" } })],
    ["is a choice of one kind", object({ a: { oneOf: [string] } })],
    ["allows anything somewhere", object({ a: {} })],
    ["allows anything by a word", object({ a: true })],
    ["looks ahead", object({ a: { ...string, pattern: "^(?!a)" } })],
    ["has a format of its own", object({ a: { ...string, format: "uri" } })],
    ["is no object", string],
    ["is a choice at its root", { anyOf: [object({})] }],
    ["may be null at its root", object({}, { type: ["object", "null"] })],
    ["names the type of its root in an array", object({}, { type: ["object"] })],
    ["is nothing", null],
  ])("is none that %s", (_what, schema) => {
    expect(fitsStrict(schema)).toBe(false);
  });
});

describe("fitsStrict on a schema within an object", () => {
  const fitsWithin = (schema: unknown) => fitsStrict(object({ a: string, inner: schema }));
  const open = { properties: { b: string }, required: ["b"] };
  const closed = { ...open, additionalProperties: false };

  it.each(["object", ["object"], ["object", "null"], ["null", "object"], undefined])(
    "accepts an object of type %j only if it is closed and requires all of its fields",
    (type) => {
      expect(fitsWithin({ type, ...closed })).toBe(true);
      expect(fitsWithin({ type, ...open })).toBe(false);
      expect(fitsWithin({ type, ...closed, required: [] })).toBe(false);
    },
  );

  it.each(["object", ["object"], ["object", "null"], ["string", "object"]])(
    "rejects an object of type %j without fields unless it is closed",
    (type) => {
      expect(fitsWithin({ type, additionalProperties: false })).toBe(true);
      expect(fitsWithin({ type })).toBe(false);
      expect(fitsWithin({ type, additionalProperties: true })).toBe(false);
    },
  );

  it.each(["string", ["string"], ["string", "null"], []])(
    "rejects additionalProperties beside the type %j, which is not of objects",
    (type) => {
      expect(fitsWithin({ type })).toBe(true);
      expect(fitsWithin({ type, additionalProperties: false })).toBe(false);
    },
  );

  it.each<[what: string, schema: object]>([
    ["requires only the first of two fields", object({ a: string, b: string }, { required: ["a"] })],
    ["requires only the last of two fields", object({ a: string, b: string }, { required: ["b"] })],
    ["has no list of required fields", object({ a: string }, { required: undefined })],
    ["has a string for its list of required fields", object({ a: string }, { required: "a" })],
  ])("rejects an object that %s", (_what, schema) => {
    expect(fitsWithin(schema)).toBe(false);
  });

  it("rejects an object that does not fit at any place where a schema may stand", () => {
    const loose = { type: "object" };
    for (const bad of [
      object({ a: loose, b: string }),
      object({ a: string, b: loose }),
      object({}, { $defs: { a: string, b: loose } }),
      object({}, { $defs: { a: loose, b: string } }),
      { type: "array", items: loose },
      { type: "array", items: [string] },
      { type: "array", items: false },
      { anyOf: [loose, string] },
      { anyOf: [string, loose] },
      { anyOf: [string, null] },
    ]) {
      expect(fitsWithin(bad), JSON.stringify(bad)).toBe(false);
    }
  });

  it.each(
    [
      "title description enum const pattern format minLength maxLength minItems maxItems".split(" "),
      "minimum maximum exclusiveMinimum exclusiveMaximum multipleOf".split(" "),
    ].flat(),
  )("accepts the keyword %s", (keyword) => {
    expect(fitsWithin({ [keyword]: keyword === "format" ? "date" : 1 })).toBe(true);
  });

  it.each("default oneOf allOf not patternProperties uniqueItems prefixItems $id Type __proto".split(" "))(
    "rejects the keyword %s",
    (keyword) => {
      expect(fitsWithin({ type: "string", [keyword]: 1 })).toBe(false);
    },
  );

  it.each("date-time time date duration email hostname ipv4 ipv6 uuid".split(" "))(
    "accepts the format %s",
    (format) => {
      expect(fitsWithin({ type: "string", format })).toBe(true);
    },
  );

  it.each(["uri", "", "Date", null, 1])("rejects the format %j", (format) => {
    expect(fitsWithin({ type: "string", format })).toBe(false);
  });

  it.each([
    ["(?=a)", false],
    ["(?!a)", false],
    ["(?<=a)b", false],
    ["(?<!a)b", false],
    ["(?:a)", true],
    ["(?<year>a)", true],
    ["a?=b", true],
  ])("decides on the pattern %j by its lookarounds: %j", (pattern, expected) => {
    expect(fitsWithin({ type: "string", pattern })).toBe(expected);
  });
});

/** Returns the strict vendor's answer to a tool with this schema. */
async function sendTool(parameters: object) {
  const vendor = (await startVendor()).respond(() => ({ answer: "Yes." }));
  const tool = { name: "f", description: "F.", parameters: parameters as Record<string, unknown> };
  await modelOf(vendor).generate(question, { tools: [tool] });
  return vendor.exchanges[0];
}
