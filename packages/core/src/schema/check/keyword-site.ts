import { TroupeError } from "../../base/errors/troupe-error.ts";
import type { JsonSchema } from "../object-schema.ts";
import { type Pattern, readPattern } from "../pattern/read-pattern.ts";
import { isRecord } from "../../base/util/is-record.ts";
import { shorten } from "../schema-issue.ts";
import type { Check, CheckRun } from "./check-run.ts";
import type { UnknownRecord } from "../../base/util/is-record.ts";

/** Services of the schema compiler for the compilers of keywords: it compiles inner schemas and resolves `$ref`. */
export interface CompileContext {
  /** The name of the compiled schema in errors. */
  readonly label: string;
  /** Compiles a JSON Schema nested in another schema. */
  compile(schema: unknown, pointer: string): Check;
  /** Returns the check of the schema that a `$ref` points to. */
  resolve(reference: string, pointer: string): Check;
}

/**
 * Compiles one keyword of a JSON Schema into a check. It may read other keywords of the schema, as
 * `additionalProperties` reads `properties`.
 */
export type KeywordCompiler = (site: KeywordSite) => Check;

/**
 * A schema that is being compiled, with its location in the root schema as a JSON pointer for errors, such as
 * `#/properties/a`.
 */
export type SchemaSite = { readonly schema: JsonSchema; readonly pointer: string; readonly context: CompileContext };

/**
 * One keyword in its schema, passed to the keyword's compiler. The readers return the keyword's value and throw
 * `invalid_config` if it is malformed.
 */
export class KeywordSite {
  readonly keyword: string;
  readonly value: unknown;
  readonly schema: JsonSchema;
  readonly #at: SchemaSite;

  constructor(keyword: string, at: SchemaSite) {
    this.keyword = keyword;
    this.value = at.schema[keyword];
    this.schema = at.schema;
    this.#at = at;
  }

  refuse(problem: string): TroupeError {
    return malformedSchemaError(this.#at.context.label, this.#at.pointer, `"${this.keyword}" ${problem}`);
  }

  readNumber(): number {
    if (typeof this.value === "number") return this.value;
    throw this.refuse("must be a number");
  }

  readCount(): number {
    if (Number.isInteger(this.value) && (this.value as number) >= 0) return this.value as number;
    throw this.refuse("must be an integer of at least 0");
  }

  readArray(): readonly unknown[] {
    if (Array.isArray(this.value)) return this.value;
    throw this.refuse("must be an array");
  }

  readNames(): readonly string[] {
    const names = this.readArray();
    if (names.every((name) => typeof name === "string")) return names;
    throw this.refuse("must be an array of strings");
  }

  readPattern(source: unknown): Pattern {
    const pattern = typeof source === "string" ? readPattern(source) : "must be a string";
    if (typeof pattern !== "string") return pattern;
    const problem = `the pattern ${shorten(JSON.stringify(source), 120)} of "${this.keyword}" ${pattern}`;
    throw malformedSchemaError(this.#at.context.label, this.#at.pointer, problem);
  }

  resolveReference(): Check {
    if (typeof this.value === "string") return this.#at.context.resolve(this.value, this.#at.pointer);
    throw this.refuse("must be a string");
  }

  /** Compiles the keyword's value as a schema. */
  compile(): Check {
    return this.#at.context.compile(this.value, `${this.#at.pointer}/${this.keyword}`);
  }

  /** Compiles another keyword of the same schema, if present. */
  compileNeighbour(keyword: string): Check | undefined {
    if (this.schema[keyword] === undefined) return undefined;
    return this.#at.context.compile(this.schema[keyword], `${this.#at.pointer}/${keyword}`);
  }

  /** Compiles the keyword's value as an array of schemas. */
  compileArray(): readonly Check[] {
    const at = `${this.#at.pointer}/${this.keyword}`;
    return this.readArray().map((schema, index) => this.#at.context.compile(schema, `${at}/${index}`));
  }

  /** Compiles the keyword's value as schemas by name. `toSchema` may convert each value first. */
  compileEntries(toSchema = (value: unknown) => value): readonly (readonly [string, Check])[] {
    if (!isRecord(this.value)) throw this.refuse("must be an object");
    const at = `${this.#at.pointer}/${this.keyword}`;
    const entries = Object.entries(this.value);
    return entries.map(([name, value]) => [name, this.#at.context.compile(toSchema(value), `${at}/${name}`)]);
  }

  // Each JSON type has a separate closure: calls of a shared closure would have too many targets to be inlined.

  /** Makes a check of numbers. Values of other types fit. */
  checkNumber(expected: string, fits: (value: number) => boolean): Check {
    const { keyword } = this;
    return (value, path, run) => {
      if (typeof value !== "number" || Number.isNaN(value) || fits(value)) return true;
      return run.fail({ path, keyword, expected, value });
    };
  }

  /** Makes a check of strings. Values of other types fit. */
  checkString(expected: string, fits: (text: string, run: CheckRun) => boolean): Check {
    const { keyword } = this;
    return (value, path, run) =>
      typeof value !== "string" || fits(value, run) || run.fail({ path, keyword, expected, value });
  }

  /** Makes a check of arrays. Values of other types fit. */
  checkArray(expected: string, fits: (items: readonly unknown[], run: CheckRun) => boolean): Check {
    const { keyword } = this;
    return (value, path, run) =>
      !Array.isArray(value) || fits(value, run) || run.fail({ path, keyword, expected, value });
  }

  /** Makes a check of objects. Values of other types fit. */
  checkObject(expected: string, fits: (fields: UnknownRecord, run: CheckRun) => boolean): Check {
    const { keyword } = this;
    return (value, path, run) => !isRecord(value) || fits(value, run) || run.fail({ path, keyword, expected, value });
  }
}

/**
 * Makes (and does not throw) the error `invalid_config` of a schema that cannot be compiled, with the location and the
 * problem.
 */
export function malformedSchemaError(label: string, pointer: string, problem: string): TroupeError {
  const place = pointer.length > 200 ? `${pointer.slice(0, 200)}…` : pointer;
  return new TroupeError("invalid_config", `${label} cannot be used as a JSON Schema: at ${place}, ${problem}.`);
}
