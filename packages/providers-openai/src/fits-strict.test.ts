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
    ["is nothing", null],
  ])("is none that %s", (_what, schema) => {
    expect(fitsStrict(schema)).toBe(false);
  });
});

/** Returns the strict vendor's answer to a tool with this schema. */
async function sendTool(parameters: object) {
  const vendor = (await startVendor()).respond(() => ({ answer: "Yes." }));
  const tool = { name: "f", description: "F.", parameters: parameters as Record<string, unknown> };
  await modelOf(vendor).generate(question, { tools: [tool] });
  return vendor.exchanges[0];
}
