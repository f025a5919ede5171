import * as v from "valibot";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import * as zodMini from "zod/mini";
import * as zod3 from "zod/v3";
import { recogniseSchema } from "./recognise-schema.ts";

const standard = { version: 1, vendor: "acme", validate: (value: unknown) => ({ value }) } as const;

/** An object schema as zod 4.0 and 4.1 made it, classic and mini alike: without a JSON Schema of its own. */
function zodOf(version: string): object {
  const [major, minor, patch] = version.split(".").map(Number);
  const inner = { version: { major, minor, patch }, def: { type: "object" } };
  return { _zod: inner, _def: inner.def, safeParse: () => {}, "~standard": { ...standard, vendor: "zod" } };
}

describe("recogniseSchema", () => {
  it("distinguishes the three kinds", () => {
    expect(recogniseSchema(z.object({}), "parameters").kind).toBe("standard");
    expect(recogniseSchema({ type: "object" }, "parameters").kind).toBe("plain");
    expect(recogniseSchema({}, "parameters").kind).toBe("plain");
    expect(recogniseSchema({ schema: { "~standard": standard }, jsonSchema: {} }, "parameters").kind).toBe("described");
  });

  it("accepts the JSON Schema that zod makes of a mini schema", () => {
    const schema = z.toJSONSchema(zodMini.object({ city: zodMini.string() }), { io: "input" });

    expect(recogniseSchema(schema, "parameters").kind).toBe("standard");
  });

  it("accepts a zod 3 schema with a JSON Schema", () => {
    const pair = { schema: zod3.object({ city: zod3.string() }), jsonSchema: { type: "object" } };

    expect(recogniseSchema(pair, "parameters").kind).toBe("described");
  });

  it("accepts a schema of zod 4.1 with the JSON Schema that zod makes of it", () => {
    expect(recogniseSchema({ schema: zodOf("4.1.13"), jsonSchema: { type: "object" } }, "parameters").kind).toBe(
      "described",
    );
  });

  it.each<[unknown, string]>([
    [zod3.object({}), "parameters is a zod 3 schema, which has no JSON Schema: upgrade to zod 4"],
    [{ _def: {}, safeParse: () => {} }, "parameters is a zod 3 schema"],
    [zodMini.object({}), "parameters is a zod mini schema, which has no JSON Schema: pass z.toJSONSchema(schema"],
    [
      zodOf("4.0.17"),
      "parameters is a schema of zod 4.0.17, which cannot tell its JSON Schema: upgrade to zod 4.2 or later, or pass " +
        '{ schema, jsonSchema: z.toJSONSchema(schema, { io: "input" }) }.',
    ],
    [zodOf("4.1.13"), "parameters is a schema of zod 4.1.13, which cannot tell"],
    [v.object({}), "parameters is a bare Valibot schema: pass toStandardJsonSchema(schema)"],
    [{ "~standard": standard }, "parameters is a Standard Schema without JSON Schema: pass { schema, jsonSchema }"],
    [{ city: z.string() }, "parameters is an object of schemas, not a schema: wrap it, as z.object({ … }) does"],
    [{ type: "object", city: z.string() }, "parameters is an object of schemas, not a schema"],
    [{ city: "string" }, "parameters must be a schema of zod 4, ArkType or Valibot"],
    [() => ({ type: "object" }), "got a function"],
    [[], "got an array"],
    ["object", "got a string"],
    [null, "got null"],
    [undefined, "got undefined"],
  ])("refuses a schema that cannot be used, and says what to do [schema.old-zod]: %o", (schema, problem) => {
    expect(() => recogniseSchema(schema, "parameters")).toThrow(
      expect.objectContaining({ code: "invalid_config", message: expect.stringContaining(problem) }),
    );
  });
});
