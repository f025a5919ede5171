import { seededRandom } from "@troupe-internal/fault-tools";
import { describe, expect, it } from "vitest";
import { fitSchema } from "./fit-schema.ts";

type FittedSchema = { properties?: Record<string, FittedSchema>; items?: FittedSchema; anyOf?: FittedSchema[] };

const text = { type: "string" };

describe("a schema made fit", () => {
  it("stays as it is when it has no more than the server reads", () => {
    const schema = {
      type: "object",
      description: "A place",
      properties: {
        city: { type: "string", description: "Its city", enum: ["Oslo", "Bergen"] },
        days: { type: ["integer", "null"] },
        tags: { type: "array", items: text },
        point: { anyOf: [text, { type: "object", properties: { x: { type: "number" } }, required: ["x"] }] },
      },
      required: ["city"],
    };

    expect(fitSchema(schema)).toEqual(schema);
  });

  it("has its references in place, whatever they point at", () => {
    const schema = {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      properties: {
        from: { $ref: "#/$defs/place", description: "Where from" },
        to: { $ref: "#/properties/from" },
        by: { $ref: "#/definitions/a~1b%20c" },
      },
      $defs: { place: { type: "string", description: "A place" } },
      definitions: { "a/b c": { type: "integer" } },
    };

    expect(fitSchema(schema)).toEqual({
      type: "object",
      properties: {
        from: { type: "string", description: "Where from" },
        to: { type: "string", description: "Where from" },
        by: { type: "integer" },
      },
    });
  });

  it("tells what holds itself once", () => {
    const node = {
      type: "object",
      properties: { name: text, children: { type: "array", items: { $ref: "#/$defs/node" } } },
    };

    expect(fitSchema({ $ref: "#/$defs/node", $defs: { node } })).toEqual({
      type: "object",
      properties: { name: text, children: { type: "array", items: { type: "object" } } },
    });
    expect(fitSchema({ type: "object", properties: { more: { $ref: "#" } } })).toEqual({
      type: "object",
      properties: { more: { type: "object", properties: { more: { type: "object" } } } },
    });
  });

  it("does not grow without end where references fan out", () => {
    const names = Array.from({ length: 40 }, (_, index) => `d${index}`);
    const two = (name: string) => ({ type: "object", properties: { a: { $ref: name }, b: { $ref: name } } });
    const $defs = Object.fromEntries(names.map((name, index) => [name, two(`#/$defs/d${index + 1}`)]));

    const fitted = fitSchema({ ...two("#/$defs/d0"), $defs });

    expect(JSON.stringify(fitted).length).toBeLessThan(1_000_000);
  });

  it("takes a reference to nothing for anything at all", () => {
    const schema = { properties: { a: { $ref: "#/$defs/none" }, b: { $ref: "https://example.com/s" }, c: true } };

    expect(fitSchema(schema)).toEqual({ properties: { a: {}, b: {}, c: {} } });
  });

  it("says const as enum, oneOf as anyOf, and allOf as one", () => {
    const schema = {
      allOf: [{ $ref: "#/$defs/base" }, { properties: { b: text }, required: ["b"] }],
      properties: { kind: { const: "x", type: "string" }, value: { oneOf: [text, { type: "null" }] } },
      required: ["kind"],
      $defs: { base: { type: "object", properties: { a: text }, required: ["a"] } },
    };

    expect(fitSchema(schema)).toEqual({
      type: "object",
      properties: {
        a: text,
        b: text,
        kind: { enum: ["x"], type: "string" },
        value: { anyOf: [text, { type: "null" }] },
      },
      required: ["a", "b", "kind"],
    });
  });

  it("puts limits into words, and those alone that tell something", () => {
    const properties = {
      days: { type: "integer", description: "How many", minimum: 1, maximum: Number.MAX_SAFE_INTEGER, default: 3 },
      mail: { type: "string", format: "email", pattern: "^.+@.+$" },
      code: { type: "string", pattern: "^[A-Z]+$" },
    };

    expect(fitSchema({ properties })).toEqual({
      properties: {
        days: { type: "integer", description: "How many (minimum: 1, default: 3)" },
        mail: { type: "string", description: '(format: "email")' },
        code: { type: "string", description: '(pattern: "^[A-Z]+$")' },
      },
    });
  });

  it("holds only what the server reads, whatever it is made from, and leaves that alone", () => {
    for (let seed = 1; seed <= 500; seed += 1) {
      const schema = anySchema(seededRandom(seed), 0);
      const before = JSON.stringify(schema);

      const foreign = keywordsIn(fitSchema(schema)).filter((keyword) => !read.has(keyword));

      expect({ seed, foreign }).toEqual({ seed, foreign: [] });
      expect(JSON.stringify(schema)).toBe(before);
    }
  });
});

const read = new Set(["type", "description", "enum", "properties", "required", "items", "anyOf"]);

function anySchema(random: () => number, depth: number): Record<string, unknown> {
  const inner = () => anySchema(random, depth + 1);
  const keywords: Record<string, () => unknown> = {
    type: () => "object",
    const: () => null,
    minimum: () => 1,
    required: () => ["a"],
    $ref: () => ["#", "#/items", "#/oneOf/0", "#/allOf/1", "#/properties/a", "elsewhere"][Math.floor(random() * 6)],
    properties: () => ({ a: inner(), ["__proto__"]: inner() }),
    items: inner,
    oneOf: () => [inner(), inner()],
    allOf: () => [inner(), true],
    additionalProperties: inner,
  };
  // The deeper, the plainer: it has to end somewhere.
  const chosen = Object.entries(keywords).filter(() => random() < 0.6 - depth / 6);
  return Object.fromEntries(chosen.map(([keyword, make]) => [keyword, make()]));
}

function keywordsIn({ properties = {}, items = {}, anyOf = [], ...own }: FittedSchema): string[] {
  const inner = [...Object.values(properties), ...anyOf, ...(Object.keys(items).length > 0 ? [items] : [])];
  return [...Object.keys(own), ...inner.flatMap(keywordsIn)];
}
