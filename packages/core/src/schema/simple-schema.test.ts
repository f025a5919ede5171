import { describe, expect, it } from "vitest";
import { isSimpleSchema } from "./simple-schema.ts";

describe("isSimpleSchema", () => {
  it("is true for the schema of a usual tool", () => {
    const schema = {
      type: "object",
      properties: {
        city: { type: "string", description: "A city.", minLength: 1 },
        days: { type: "array", items: { type: "integer", minimum: 0, maximum: 6 }, maxItems: 7 },
        unit: { type: "string", enum: ["celsius", "fahrenheit"] },
      },
      required: ["city"],
      additionalProperties: false,
    };

    expect(isSimpleSchema(schema)).toBe(true);
    expect(isSimpleSchema({ type: "object" })).toBe(true);
  });

  it("is false for schemas that have to be compiled to know", () => {
    const wide = { type: "object", properties: Object.fromEntries(Array.from({ length: 300 }, (_, at) => [at, {}])) };
    const cycle: Record<string, unknown> = { type: "object" };
    cycle["items"] = cycle;

    for (const schema of [{}, { type: "array" }, { type: "object", $ref: "#/$defs/a" }, wide, cycle, null]) {
      expect(isSimpleSchema(schema)).toBe(false);
    }
  });
});
