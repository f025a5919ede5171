import { maxIssues, type SchemaIssue, shorten, type Validation } from "./schema-issue.ts";
import type { StandardIssue, StandardResult, StandardSchema } from "./standard-schema.ts";

const maxExpectedLength = 80;

/** Checks a value with a Standard Schema. A library that answers at once is not waited for. */
export function checkStandard(schema: StandardSchema, value: unknown): Validation | Promise<Validation> {
  const result = schema["~standard"].validate(value);
  return isPromiseLike(result) ? Promise.resolve(result).then(toValidation) : toValidation(result);
}

function toValidation(result: StandardResult<unknown>): Validation {
  // Lists are copied first: those of ArkType are classes, whose `map` makes more of the same.
  if (result.issues === undefined) return { ok: true, value: result.value };
  return { ok: false, issues: Array.from(result.issues).slice(0, maxIssues).map(toIssue) };
}

function toIssue(issue: StandardIssue): SchemaIssue {
  const path = Array.from(issue.path ?? [], (segment) => toKey(typeof segment === "object" ? segment.key : segment));
  // Not of the standard, but all three libraries have it: what was wanted, from the schema alone.
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
