import type { JsonSchema } from "../object-schema.ts";
import type { SchemaIssue, Validation } from "../schema-issue.ts";
import { type Check, CheckRun, CheckTooCostly, toIssue } from "./check-run.ts";
import { type CompileContext, isRecord, refuseKeyword } from "./keyword-site.ts";
import { keywords, unsupportedKeywords } from "./keywords.ts";
import { resolvePointer } from "./resolve-pointer.ts";

const tooCostly: SchemaIssue = { path: [], message: "cannot be checked: too big a value for this schema" };

/**
 * Compiles a plain JSON Schema into a function that checks JSON values. Unknown keywords are ignored, as the standard
 * has it; those known to change the verdict and not supported are an error here, and so are references out of the schema.
 */
export function compileCheck(schema: JsonSchema, label: string): (value: unknown) => Validation {
  const check = new Compiler(schema, label).compileAll();
  return (value) => {
    const run = new CheckRun();
    try {
      return check(value, undefined, run) ? { ok: true, value } : { ok: false, issues: run.failures.map(toIssue) };
    } catch (error) {
      if (error instanceof CheckTooCostly) return { ok: false, issues: [tooCostly] };
      throw error;
    }
  };
}

type Reference = { readonly target: unknown; readonly pointer: string; check?: Check };

class Compiler implements CompileContext {
  readonly label: string;
  readonly #root: JsonSchema;
  readonly #references = new Map<string, Reference>();

  constructor(root: JsonSchema, label: string) {
    this.#root = root;
    this.label = label;
  }

  compileAll(): Check {
    const check = this.compile(this.#root, "#");
    // The map grows while targets are compiled, and the loop sees what is added: no chain of references is recursion.
    for (const reference of this.#references.values()) {
      reference.check = this.compile(reference.target, reference.pointer);
    }
    return check;
  }

  compile(schema: unknown, pointer: string): Check {
    if (schema === true) return () => true;
    if (schema === false) {
      return (value, place, run) => run.fail({ place, keyword: "false", expected: "no value here", value });
    }
    if (!isRecord(schema)) throw refuseKeyword({ context: this, pointer }, "a schema must be an object or a boolean");
    this.#refuseUnsupported(schema, pointer);
    return inOrder(this.#compileKeywords(schema, pointer));
  }

  resolve(reference: string, pointer: string): Check {
    const known = this.#references.get(reference) ?? this.#addReference(reference, pointer);
    return (value, place, run) => known.check?.(value, place, run) ?? true;
  }

  #addReference(reference: string, pointer: string): Reference {
    const target = resolvePointer(this.#root, reference);
    if (target === undefined) {
      const problem = `"$ref" must point into this schema, as "#/$defs/name" does; ${JSON.stringify(reference.slice(0, 100))} does not`;
      throw refuseKeyword({ context: this, pointer }, problem);
    }
    const added: Reference = { target, pointer: reference };
    this.#references.set(reference, added);
    return added;
  }

  #compileKeywords(schema: JsonSchema, pointer: string): Check[] {
    const checks: Check[] = [];
    // In the table's order, not the schema's: `type` comes first, and what has the wrong type fails in that alone.
    for (const [keyword, compileKeyword] of keywords) {
      const value = Object.hasOwn(schema, keyword) ? schema[keyword] : undefined;
      if (value !== undefined) checks.push(compileKeyword({ keyword, value, schema, pointer, context: this }));
    }
    return checks;
  }

  #refuseUnsupported(schema: JsonSchema, pointer: string): void {
    const keyword = Object.keys(schema).find((name) => unsupportedKeywords.has(name));
    if (keyword !== undefined) throw refuseKeyword({ context: this, pointer }, `"${keyword}" is not supported`);
    if (typeof schema["$id"] === "string" && schema !== this.#root) {
      throw refuseKeyword({ context: this, pointer }, '"$id" is supported at the root only');
    }
  }
}

function inOrder(checks: readonly Check[]): Check {
  return (value, place, run) =>
    run.nest(value, () => {
      let fits = true;
      for (const check of checks) {
        const before = run.failures.length;
        if (check(value, place, run)) continue;
        fits = false;
        const failure = run.failures[before];
        if (failure?.keyword === "type" && failure.place === place) return false;
      }
      return fits;
    });
}
