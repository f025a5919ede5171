import { isRecord } from "../../base/util/is-record.ts";
import type { JsonSchema } from "../object-schema.ts";
import type { SchemaIssue, Validation } from "../schema-issue.ts";
import { arrayKeywords } from "./array-keywords.ts";
import { type Check, CheckRun, CheckTooCostly } from "./check-run.ts";
import { combiningKeywords } from "./combining-keywords.ts";
import { toIssue } from "./describe.ts";
import { type CompileContext, type KeywordCompiler, KeywordSite, malformedSchemaError } from "./keyword-site.ts";
import { objectKeywords } from "./object-keywords.ts";
import { valueKeywords } from "./value-keywords.ts";

// The keywords in the order of checking: `type` comes first, and for a value of the wrong type only that failure is
// recorded.
const keywords: readonly (readonly [string, KeywordCompiler])[] = Object.entries({
  ...valueKeywords,
  ...arrayKeywords,
  ...objectKeywords,
  ...combiningKeywords,
});

// The unsupported keywords that are refused, because ignoring them would accept wrong values.
const unsupported = new Set(["$dynamicRef", "$recursiveRef", "unevaluatedItems", "unevaluatedProperties"]);

const tooCostly: SchemaIssue = { path: [], message: "cannot be checked: too big a value for this schema" };

/**
 * Compiles a plain JSON Schema into a function that checks JSON values. Ignores unknown keywords, as the standard
 * requires. Throws `invalid_config` for malformed keywords, for unsupported keywords that would change the verdict, for
 * a nested `$id`, and for references that lead out of the schema.
 */
export function compileCheck(schema: JsonSchema, label: string): (value: unknown) => Validation {
  const check = new Compiler(schema, label).compileRoot();
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

  compileRoot(): Check {
    const check = this.compile(this.#root, "#");
    // Compiling the target of a reference may add references, which this loop also visits, so that a long chain needs
    // no recursion.
    for (const reference of this.#references.values()) {
      reference.check = this.compile(reference.target, reference.pointer);
    }
    return check;
  }

  compile(schema: unknown, pointer: string): Check {
    if (schema === true) return () => true;
    if (schema === false) {
      return (value, path, run) => run.fail({ path, keyword: "false", expected: "no value here", value });
    }
    if (!isRecord(schema)) throw this.#refuse(pointer, "a schema must be an object or a boolean");
    const unknown = Object.keys(schema).find((keyword) => unsupported.has(keyword));
    if (unknown !== undefined) throw this.#refuse(pointer, `"${unknown}" is not supported`);
    if (typeof schema["$id"] === "string" && schema !== this.#root) {
      throw this.#refuse(pointer, '"$id" is supported at the root only');
    }
    const site = { schema, pointer, context: this };
    const checks: Check[] = [];
    for (const [keyword, compile] of keywords) {
      const isPresent = Object.hasOwn(schema, keyword) && schema[keyword] !== undefined;
      if (isPresent) checks.push(compile(new KeywordSite(keyword, site)));
    }
    return inOrder(checks);
  }

  resolve(reference: string, pointer: string): Check {
    const known = this.#references.get(reference) ?? this.#addReference(reference, pointer);
    return (value, path, run) => known.check?.(value, path, run) ?? true;
  }

  #addReference(reference: string, pointer: string): Reference {
    const target = resolvePointer(this.#root, reference);
    if (target === undefined) {
      const shown = JSON.stringify(reference.slice(0, 100));
      throw this.#refuse(pointer, `"$ref" must point into this schema, as "#/$defs/name" does; ${shown} does not`);
    }
    const added: Reference = { target, pointer: reference };
    this.#references.set(reference, added);
    return added;
  }

  #refuse(pointer: string, problem: string) {
    return malformedSchemaError(this.label, pointer, problem);
  }
}

function inOrder(checks: readonly Check[]): Check {
  return (value, path, run) =>
    run.nest(value, () => {
      let fits = true;
      for (const check of checks) {
        const before = run.failures.length;
        if (check(value, path, run)) continue;
        fits = false;
        const failure = run.failures[before];
        if (failure?.keyword === "type" && failure.path === path) return false;
      }
      return fits;
    });
}

/** Follows a local reference (`#`, `#/$defs/name`) through own entries; `undefined` if it leads nowhere. */
function resolvePointer(root: unknown, reference: string): unknown {
  if (reference === "#") return root;
  if (!reference.startsWith("#/")) return undefined;
  try {
    const segments = decodeURIComponent(reference.slice(2)).split("/");
    return segments.reduce<unknown>((at, segment) => {
      const name = segment.replaceAll("~1", "/").replaceAll("~0", "~");
      if (Array.isArray(at)) return /^\d+$/.test(name) ? (at[Number(name)] as unknown) : undefined;
      return isRecord(at) && Object.hasOwn(at, name) ? at[name] : undefined;
    }, root);
  } catch {
    return undefined;
  }
}
