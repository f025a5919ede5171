import { compileCheck } from "./check/compile-check.ts";
import { findExcess } from "./json-limits.ts";
import type { JsonSchema } from "./object-schema.ts";
import type { RecognisedSchema } from "./recognise-schema.ts";
import type { Validation } from "./schema-issue.ts";
import { checkStandard } from "./standard-check.ts";

/** Checks a value. The verdict is a promise only when the schema's own validator is asynchronous. */
export type Validator = (value: unknown) => Validation | Promise<Validation>;

/** Makes the validator of a schema: the library's own, or for a plain JSON Schema ours. */
export function createValidator(recognised: RecognisedSchema, jsonSchema: JsonSchema, label: string): Validator {
  const { kind } = recognised;
  if (kind === "plain") return withinLimits(compileCheck(jsonSchema, label));
  return withinLimits((value) => checkStandard(recognised.schema, value));
}

/** No validator, ours or a library's, is shown what could make its recursion crash. */
function withinLimits(validator: Validator): Validator {
  return (value) => {
    const excess = findExcess(value);
    return excess === undefined ? validator(value) : { ok: false, issues: [{ path: [], message: excess }] };
  };
}
