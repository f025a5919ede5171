import { TroupeError } from "../../base/errors/troupe-error.ts";
import { compileSchema } from "../../schema/compile-schema.ts";
import type { CompiledSchema } from "../../schema/compile-schema.ts";
import type { JsonSchema, ObjectSchema } from "../../schema/object-schema.ts";
import { describeIssues } from "../../schema/schema-issue.ts";

/** The check of a workflow's input object against the schema that the workflow declares. */
export class InputCheck {
  readonly #compiled: CompiledSchema;

  /** Throws `invalid_config` for a value that is not a schema of an object. */
  constructor(schema: ObjectSchema) {
    this.#compiled = compileSchema(schema, "inputSchema");
  }

  /** The JSON Schema of the input, for clients. */
  get jsonSchema(): JsonSchema {
    return this.#compiled.jsonSchema;
  }

  /** Returns the schema's output for an input. Throws `invalid_request` if the input does not fit the schema. */
  check(input: object): unknown {
    const verdict = this.#compiled.validate(input);
    if (verdict instanceof Promise) {
      // An unhandled rejection of the check would end the process.
      verdict.catch(() => {});
      throw new TroupeError("invalid_config", "inputSchema must check an input synchronously, and returned a promise.");
    }
    if (verdict.ok) return verdict.value;
    const problem = describeIssues(verdict.issues, "input");
    throw new TroupeError("invalid_request", `The input does not fit the workflow's schema. ${problem}`);
  }
}
