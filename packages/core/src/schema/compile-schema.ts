import { TroupeError } from "../base/errors/troupe-error.ts";
import { createValidator, type Validator } from "./create-validator.ts";
import type { InferSchema, JsonSchema, ObjectSchema } from "./object-schema.ts";
import { recogniseSchema } from "./recognise-schema.ts";
import { toObjectRoot, wrapRoot } from "./root-schema.ts";
import type { Validation } from "./schema-issue.ts";
import { toJsonSchema } from "./to-json-schema.ts";

/** A schema in the framework's own form: a JSON Schema to send to a model, and a check of the returned value. */
export type CompiledSchema<Output = unknown> = {
  /** The JSON Schema for the model. Its root is an object, and it is frozen. */
  readonly jsonSchema: JsonSchema;
  /**
   * Checks a value and returns the schema's output, with defaults and transformations. It returns a promise only for
   * async schemas.
   */
  readonly validate: (value: unknown) => Validation<Output> | Promise<Validation<Output>>;
  /**
   * Present if the schema's root is wrapped in an object for models. Like `validate`, but for a value that is not
   * wrapped.
   */
  readonly validateBare?: (value: unknown) => Validation<Output> | Promise<Validation<Output>>;
};

/**
 * Compiles the schema of a tool's arguments. Throws `invalid_config` for a value that is not a schema, cannot be
 * converted to JSON Schema, or has no object at its root. `label` names the schema in errors.
 */
export function compileSchema<const Schema extends ObjectSchema>(
  schema: Schema,
  label = "parameters",
): CompiledSchema<InferSchema<Schema>> {
  const recognised = recogniseSchema(schema, label);
  const jsonSchema = toObjectRoot(toJsonSchema(schema, label), true);
  if (jsonSchema === undefined) {
    const problem = `${label} must have an object at its root. Wrap the schema in a property of one.`;
    throw new TroupeError("invalid_config", problem);
  }
  const validate = createValidator(recognised, jsonSchema, label);
  return { jsonSchema: freezeJson(jsonSchema), validate } as CompiledSchema<InferSchema<Schema>>;
}

/**
 * Compiles the schema of a structured answer. Unlike `compileSchema`, it accepts a root that is not an object: it wraps
 * the root in a property `value` for the model, and unwraps the answer.
 */
export function compileStructuredSchema<const Schema extends ObjectSchema>(
  schema: Schema,
  label = "structuredOutput",
): CompiledSchema<InferSchema<Schema, unknown>> {
  return prepareStructured(schema, label) as CompiledSchema<InferSchema<Schema, unknown>>;
}

function prepareStructured(schema: ObjectSchema, label: string): CompiledSchema {
  const recognised = recogniseSchema(schema, label);
  const inner = toJsonSchema(schema, label);
  const jsonSchema = toObjectRoot(inner, false);
  const validator = createValidator(recognised, jsonSchema ?? inner, label);
  if (jsonSchema !== undefined) return { jsonSchema: freezeJson(jsonSchema), validate: validator };
  return { jsonSchema: freezeJson(wrapRoot(inner)), validate: unwrapping(validator), validateBare: validator };
}

function unwrapping(validator: Validator): Validator {
  return (value) => {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, "value")) {
      return { ok: false, issues: [{ path: ["value"], message: "is missing: put the answer into this property" }] };
    }
    const verdict = validator((value as { value: unknown }).value);
    return verdict instanceof Promise ? verdict.then(underValue) : underValue(verdict);
  };
}

function underValue(verdict: Validation): Validation {
  if (verdict.ok) return verdict;
  return { ok: false, issues: verdict.issues.map((issue) => ({ ...issue, path: ["value", ...issue.path] })) };
}

function freezeJson<Value>(value: Value): Value {
  if (typeof value !== "object" || value === null) return value;
  for (const part of Object.values(value)) freezeJson(part);
  return Object.freeze(value);
}
