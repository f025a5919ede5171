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
export type InferSchema<Schema, Plain = Record<string, unknown>> = Schema extends {
  readonly "~standard": { readonly types?: infer Types };
}
  ? OutputOf<Types>
  : Schema extends { readonly schema: { readonly "~standard": { readonly types?: infer Types } } }
    ? OutputOf<Types>
    : Plain;

type OutputOf<Types> = NonNullable<Types> extends { readonly output: infer Output } ? Output : unknown;
