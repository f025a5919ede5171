import { TroupeError } from "../base/errors/troupe-error.ts";
import { copyJson } from "./copy-json.ts";
import { findUnrepresentable, diagnosticOptions, conversionOptions } from "./library-options.ts";
import type { JsonSchema, ObjectSchema } from "./object-schema.ts";
import { recogniseSchema } from "./recognise-schema.ts";
import type { StandardJsonSchema } from "./standard-schema.ts";

/**
 * Returns the JSON Schema (draft 2020-12) of a schema's *input*: a field with a default is optional, and a transformed
 * field has its original type. Always a new object, without `$schema`. Throws `invalid_config` with the path of a type
 * that JSON does not have; `label` names the schema. Used by `compileSchema`, whose result is sent to models.
 */
export function toJsonSchema(schema: ObjectSchema, label = "schema"): JsonSchema {
  const recognised = recogniseSchema(schema, label);
  const source = recognised.kind === "standard" ? convert(recognised.schema, label) : recognised.jsonSchema;
  const { $schema: _, ...jsonSchema } = copyJson(source, label) as Record<string, unknown>;
  return jsonSchema;
}

function convert(schema: StandardJsonSchema, label: string): JsonSchema {
  const { vendor } = schema["~standard"];
  try {
    const jsonSchema = request(schema, conversionOptions(vendor));
    return refuseMarked(jsonSchema, label) ?? jsonSchema;
  } catch (error) {
    if (TroupeError.is(error)) throw error;
    refuseMarked(tryRequest(schema, diagnosticOptions(vendor)), label);
    throw new TroupeError("invalid_config", `${label} has no JSON Schema: ${messageOf(error)}`, { cause: error });
  }
}

function request(schema: StandardJsonSchema, libraryOptions: Record<string, unknown> | undefined): JsonSchema {
  return schema["~standard"].jsonSchema.input({
    target: "draft-2020-12",
    ...(libraryOptions !== undefined && { libraryOptions }),
  });
}

function tryRequest(schema: StandardJsonSchema, options: Record<string, unknown> | undefined): JsonSchema | undefined {
  try {
    return options && request(schema, options);
  } catch {
    return undefined;
  }
}

function refuseMarked(jsonSchema: JsonSchema | undefined, label: string): undefined {
  const found = jsonSchema && findUnrepresentable(jsonSchema);
  if (found === undefined) return undefined;
  const { path, what } = found;
  const place = path === "" ? "at its root" : `at "${path}"`;
  throw new TroupeError("invalid_config", `${label} has no JSON Schema: ${place}, ${what} does not exist in JSON.`);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : "its library refused.";
}

type WithOutputSchema = { readonly jsonSchema: { output(request: { target: "draft-2020-12" }): unknown } };

/**
 * Returns the JSON Schema of a schema's *output*, to describe answers to clients. It may differ from the input's
 * schema. Undefined if there is no schema, for `{ schema, jsonSchema }`, and for a schema that cannot describe the
 * result of its transformations.
 */
export function readOutputSchema(schema: object | undefined): unknown {
  if (schema === undefined || "schema" in schema) return undefined;
  if (!("~standard" in schema)) return schema;
  try {
    return (schema["~standard"] as WithOutputSchema).jsonSchema.output({ target: "draft-2020-12" });
  } catch {
    return undefined;
  }
}
