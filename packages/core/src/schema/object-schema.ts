import type { StandardSchema } from "./standard-schema.ts";

/** A plain JSON Schema, draft 2020-12. */
export type JsonSchema = { readonly [keyword: string]: unknown };

/** A schema that cannot describe itself, together with the JSON Schema that is sent to a model. */
type DescribedSchema<Output = unknown> = {
  readonly schema: StandardSchema<unknown, Output>;
  readonly jsonSchema: JsonSchema;
};

/**
 * A Standard Schema that can describe itself, with simplified types: comparing the full types would make forty tools
 * a tenth slower to compile.
 */
type DescribingSchema<Output = unknown> = {
  readonly "~standard": {
    readonly version: 1;
    readonly validate: (value: unknown) => unknown;
    readonly types?: { readonly output: Output } | undefined;
    readonly jsonSchema: { readonly input: (request: { readonly target: "draft-2020-12" }) => Record<string, unknown> };
  };
};

/** A schema for `parameters` and `structuredOutput`, which has a JSON Schema and can check a value. */
export type ObjectSchema<Output = unknown> = DescribingSchema<Output> | DescribedSchema<Output> | JsonSchema;

/**
 * The type of a checked value. A plain JSON Schema carries no type. For a tool's arguments, whose root is an object,
 * the type is a record; structured output, whose root may be any value, passes `unknown` as `Plain`.
 */
export type InferSchema<Schema, Plain = Record<string, unknown>> =
  Schema extends Typed<infer Output>
    ? Output
    : Schema extends { readonly schema: Typed<infer Output> }
      ? Output
      : Plain;

/** The part of a Standard Schema that carries its type. Inferring from this part alone keeps type checking fast. */
type Typed<Output> = { readonly "~standard": { readonly types?: { readonly output: Output } | undefined } };
