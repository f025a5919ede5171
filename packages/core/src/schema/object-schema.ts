import type { StandardJsonSchema, StandardSchema } from "./standard-schema.ts";

/** A plain JSON Schema, draft 2020-12. */
export type JsonSchema = { readonly [keyword: string]: unknown };

/** A schema that cannot describe itself, with the JSON Schema that a model is shown in its place. */
type DescribedSchema<Output = unknown> = {
  readonly schema: StandardSchema<unknown, Output>;
  readonly jsonSchema: JsonSchema;
};

/** What `parameters` and `structuredOutput` take: a schema that can say what it expects and check what came. */
export type ObjectSchema<Output = unknown> = StandardJsonSchema<unknown, Output> | DescribedSchema<Output> | JsonSchema;

/**
 * The type of a checked value. A plain JSON Schema has none to tell: for a tool's arguments, whose root is an object, it
 * is a record; structured output, whose root may be anything, passes `unknown` as `Plain`.
 */
export type InferSchema<Schema, Plain = Record<string, unknown>> =
  Schema extends Typed<infer Output>
    ? Output
    : Schema extends { readonly schema: Typed<infer Output> }
      ? Output
      : Plain;

/** The little of a Standard Schema that says its type: one look at it costs the compiler least. */
type Typed<Output> = { readonly "~standard": { readonly types?: { readonly output: Output } | undefined } };
