import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import * as v from "valibot";
import { expectTypeOf, it } from "vitest";
import * as z from "zod";
import * as zodMini from "zod/mini";
import { compileSchema, compileStructuredSchema } from "./compile-schema.ts";
import type { InferSchema, JsonSchema, ObjectSchema } from "./object-schema.ts";
import type { Validation } from "./schema-issue.ts";

type Weather = { city: string; days: number };

/** As a tool is defined: the schema's type flows into the arguments. */
function defineTool<const Schema extends ObjectSchema>(_tool: {
  parameters: Schema;
  execute(args: InferSchema<Schema>): void;
}): void {}

it("ObjectSchema infers the output of a schema, not its input", () => {
  const schema = z.object({ city: z.string(), days: z.string().transform(Number) });

  expectTypeOf<InferSchema<typeof schema>>().toEqualTypeOf<Weather>();
  expectTypeOf(compileSchema(schema).validate({})).toEqualTypeOf<Validation<Weather> | Promise<Validation<Weather>>>();
});

it("ObjectSchema infers from ArkType, Valibot, zod mini and a pair", () => {
  const mini = zodMini.object({ city: zodMini.string(), days: zodMini.number() });
  const pair = { schema: mini, jsonSchema: { type: "object" } };

  expectTypeOf(compileSchema(type({ city: "string", days: "number" })).validate({})).toExtend<
    Validation<Weather> | Promise<Validation<Weather>>
  >();
  const valibot = toStandardJsonSchema(v.object({ city: v.string(), days: v.number() }));
  expectTypeOf<InferSchema<typeof valibot>>().toEqualTypeOf<Weather>();
  expectTypeOf<InferSchema<typeof pair>>().toEqualTypeOf<Weather>();
});

it("ObjectSchema does not invent a type for a plain JSON Schema", () => {
  expectTypeOf<InferSchema<{ type: "object" }>>().toEqualTypeOf<Record<string, unknown>>();
  expectTypeOf<InferSchema<JsonSchema, unknown>>().toEqualTypeOf<unknown>();
  expectTypeOf(compileStructuredSchema({ type: "array" }).validate({})).toEqualTypeOf<
    Validation | Promise<Validation>
  >();
});

it("ObjectSchema gives a tool's execute its arguments", () => {
  defineTool({
    parameters: z.object({ city: z.string().optional() }),
    execute: (args) => expectTypeOf(args).toEqualTypeOf<{ city?: string | undefined }>(),
  });
  defineTool({
    parameters: { type: "object", properties: { city: { type: "string" } } },
    execute: (args) => expectTypeOf(args).toEqualTypeOf<Record<string, unknown>>(),
  });
});

it("ObjectSchema rejects a schema that cannot describe itself at compile time", () => {
  const bare = v.object({ city: v.string() });
  const mini = zodMini.object({ city: zodMini.string() });

  expectTypeOf<typeof bare>().not.toExtend<ObjectSchema>();
  expectTypeOf<typeof mini>().not.toExtend<ObjectSchema>();
  expectTypeOf<string>().not.toExtend<ObjectSchema>();
});
