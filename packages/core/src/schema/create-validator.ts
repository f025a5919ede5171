import { compileCheck } from "./check/compile-check.ts";
import { describeExcess } from "./json-limits.ts";
import type { JsonSchema } from "./object-schema.ts";
import type { RecognisedSchema } from "./recognise-schema.ts";
import { maxIssues, type SchemaIssue, shorten, type Validation } from "./schema-issue.ts";
import type { StandardIssue, StandardResult, StandardSchema } from "./standard-schema.ts";

/** Checks a value against one schema. Returns a promise only if the schema's own validator is asynchronous. */
export type Validator = (value: unknown) => Validation | Promise<Validation>;

const maxExpectedLength = 80;

/**
 * Makes the validator of a schema: the schema library's own validator, or `compileCheck` for a plain JSON Schema. It
 * first rejects values that nest too deep or contain too many values.
 */
export function createValidator(recognised: RecognisedSchema, jsonSchema: JsonSchema, label: string): Validator {
  if (recognised.kind === "plain") return withinLimits(compileCheck(jsonSchema, label));
  const { schema } = recognised;
  return withinLimits((value) => checkStandard(schema, value));
}

/** Adds limits to a validator, because deep values could overflow the stack of its recursion. */
function withinLimits(validator: Validator): Validator {
  return (value) => {
    const excess = describeExcess(value);
    return excess === undefined ? validator(value) : { ok: false, issues: [{ path: [], message: excess }] };
  };
}

function checkStandard(schema: StandardSchema, value: unknown): Validation | Promise<Validation> {
  const result = schema["~standard"].validate(value);
  return isPromiseLike(result) ? Promise.resolve(result).then(toValidation) : toValidation(result);
}

function toValidation(result: StandardResult<unknown>): Validation {
  if (result.issues === undefined) return { ok: true, value: result.value };
  // The issues are copied first, because ArkType's arrays are class instances whose `map` creates more instances of
  // that class.
  return { ok: false, issues: Array.from(result.issues).slice(0, maxIssues).map(toIssue) };
}

function toIssue(issue: StandardIssue): SchemaIssue {
  const path = Array.from(issue.path ?? [], (segment) => toKey(typeof segment === "object" ? segment.key : segment));
  // The field `expected` of an issue is not part of Standard Schema, but zod, Valibot and ArkType set it. It describes
  // the value that the schema expects, without the actual value.
  const { expected } = issue as { expected?: unknown };
  const isTelling = typeof expected === "string" && expected.length <= maxExpectedLength;
  return { path, message: shorten(issue.message), ...(isTelling && { expected }) };
}

function toKey(key: PropertyKey): string | number {
  return typeof key === "number" ? key : String(key);
}

function isPromiseLike<Value>(value: Value | Promise<Value>): value is Promise<Value> {
  return typeof (value as { then?: unknown }).then === "function";
}
