import { TroupeError } from "../errors/troupe-error.ts";
import { createValidator, type Validator } from "./create-validator.ts";
import { freezeJson } from "./freeze-json.ts";
import type { InferSchema, JsonSchema, ObjectSchema } from "./object-schema.ts";
import { type RecognisedSchema, recogniseSchema } from "./recognise-schema.ts";
import { toObjectRoot, wrapRoot } from "./root-schema.ts";
import type { Validation } from "./schema-issue.ts";
import { toJsonSchema } from "./to-json-schema.ts";

/** A schema made ready: the work is done once, when either member is first used. */
export interface CompiledSchema<Output = unknown> {
  /** What a model is shown. Always has an object at its root; frozen, so that it can be handed out as it is. */
  readonly jsonSchema: JsonSchema;
  /** Checks a value and gives it as the schema makes it: with defaults, transformed. A promise only for async schemas. */
  validate(value: unknown): Validation<Output> | Promise<Validation<Output>>;
}

/**
 * Makes the schema of a tool's arguments ready. A value that is no schema is refused at once; what only shows when it is
 * converted, on first use. `label` names it in errors.
 */
export function compileSchema<const Schema extends ObjectSchema>(
  schema: Schema,
  label = "parameters",
): CompiledSchema<InferSchema<Schema>> {
  const recognised = recogniseSchema(schema, label);
  return lazily(() => prepareArguments(schema, recognised, label));
}

/** Makes the schema of a structured answer ready: a root that is no object goes under `value`, and comes back out of it. */
export function compileStructuredSchema<const Schema extends ObjectSchema>(
  schema: Schema,
  label = "structuredOutput",
): CompiledSchema<InferSchema<Schema, unknown>> {
  const recognised = recogniseSchema(schema, label);
  return lazily(() => prepareStructured(schema, recognised, label));
}

type Prepared = { readonly jsonSchema: JsonSchema; readonly validator: Validator };

function prepareArguments(schema: ObjectSchema, recognised: RecognisedSchema, label: string): Prepared {
  const jsonSchema = toObjectRoot(toJsonSchema(schema, label), true);
  if (jsonSchema === undefined) {
    const problem = `${label} must have an object at its root: put what it is now into a property of one.`;
    throw new TroupeError("invalid_config", problem);
  }
  return { jsonSchema: freezeJson(jsonSchema), validator: createValidator(recognised, jsonSchema, label) };
}

function prepareStructured(schema: ObjectSchema, recognised: RecognisedSchema, label: string): Prepared {
  const inner = toJsonSchema(schema, label);
  const jsonSchema = toObjectRoot(inner, false);
  const validator = createValidator(recognised, jsonSchema ?? inner, label);
  if (jsonSchema !== undefined) return { jsonSchema: freezeJson(jsonSchema), validator };
  return { jsonSchema: freezeJson(wrapRoot(inner)), validator: unwrapping(validator) };
}

function lazily<Output>(prepare: () => Prepared): CompiledSchema<Output> {
  let prepared: Prepared | undefined;
  const get = () => (prepared ??= prepare());
  return {
    get jsonSchema() {
      return get().jsonSchema;
    },
    validate: (value) => get().validator(value) as Validation<Output> | Promise<Validation<Output>>,
  };
}

function unwrapping(validator: Validator): Validator {
  return (value) => {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, "value")) {
      return { ok: false, issues: [{ path: ["value"], message: "is missing: the answer goes into this property" }] };
    }
    const verdict = validator((value as { value: unknown }).value);
    return verdict instanceof Promise ? verdict.then(underValue) : underValue(verdict);
  };
}

function underValue(verdict: Validation): Validation {
  if (verdict.ok) return verdict;
  return { ok: false, issues: verdict.issues.map((issue) => ({ ...issue, path: ["value", ...issue.path] })) };
}
