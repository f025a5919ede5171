import { TroupeError } from "../../errors/troupe-error.ts";
import type { JsonSchema } from "../object-schema.ts";
import { shorten } from "../schema-issue.ts";
import type { Check } from "./check-run.ts";
import { type Pattern, readPattern } from "./read-pattern.ts";

/** What compiling a schema needs from its surroundings. */
export type CompileContext = {
  readonly label: string;
  /** Compiles a schema that stands inside another. */
  compile(schema: unknown, pointer: string): Check;
  /** Gives the check of what a `$ref` points to. */
  resolve(reference: string, pointer: string): Check;
};

/** One keyword in its schema, ready to be compiled. */
export type KeywordSite = {
  readonly keyword: string;
  readonly value: unknown;
  readonly schema: JsonSchema;
  readonly pointer: string;
  readonly context: CompileContext;
};

/** Turns a keyword into a check. It may read its neighbours, as `additionalProperties` reads `properties`. */
export type KeywordCompiler = (site: KeywordSite) => Check;

/** The refusal of a schema that cannot be compiled, naming the place. */
export function refuseKeyword(
  { context, pointer }: Pick<KeywordSite, "context" | "pointer">,
  problem: string,
): TroupeError {
  const place = pointer.length > 200 ? `${pointer.slice(0, 200)}…` : pointer;
  return new TroupeError(
    "invalid_config",
    `${context.label} cannot be used as a JSON Schema: at ${place}, ${problem}.`,
  );
}

/** The keyword's value as a number. */
export function readNumber(site: KeywordSite): number {
  if (typeof site.value === "number") return site.value;
  throw refuseKeyword(site, `"${site.keyword}" must be a number`);
}

/** The keyword's value as a whole number from 0 upwards. */
export function readCount(site: KeywordSite): number {
  if (Number.isInteger(site.value) && (site.value as number) >= 0) return site.value as number;
  throw refuseKeyword(site, `"${site.keyword}" must be a whole number from 0 upwards`);
}

/** The keyword's value as a list. */
export function readList(site: KeywordSite): readonly unknown[] {
  if (Array.isArray(site.value)) return site.value;
  throw refuseKeyword(site, `"${site.keyword}" must be a list`);
}

/** The keyword's value as a list of names. */
export function readNames(site: KeywordSite): readonly string[] {
  const names = readList(site);
  if (names.every((name) => typeof name === "string")) return names;
  throw refuseKeyword(site, `"${site.keyword}" must be a list of strings`);
}

/** The keyword's value as entries, `__proto__` and the like being names as any other. */
export function readEntries(site: KeywordSite): readonly (readonly [string, unknown])[] {
  if (isRecord(site.value)) return Object.entries(site.value);
  throw refuseKeyword(site, `"${site.keyword}" must be an object`);
}

/** Reads a pattern that stands in the keyword. */
export function readPatternOf(site: KeywordSite, source: unknown): Pattern {
  const pattern = typeof source === "string" ? readPattern(source) : "must be a string";
  if (typeof pattern !== "string") return pattern;
  throw refuseKeyword(site, `the pattern ${shorten(JSON.stringify(source), 120)} of "${site.keyword}" ${pattern}`);
}

/** Compiles the keyword's value as a schema. */
export function compileValue({ context, value, pointer, keyword }: KeywordSite): Check {
  return context.compile(value, `${pointer}/${keyword}`);
}

/** Compiles the keyword's value as a list of schemas. */
export function compileList(site: KeywordSite): readonly Check[] {
  const { context, pointer, keyword } = site;
  return readList(site).map((schema, index) => context.compile(schema, `${pointer}/${keyword}/${index}`));
}

/** Compiles the keyword's value as named schemas. */
export function compileEntries(site: KeywordSite): readonly (readonly [string, Check])[] {
  const { context, pointer, keyword } = site;
  return readEntries(site).map(([name, schema]) => [name, context.compile(schema, `${pointer}/${keyword}/${name}`)]);
}

/** True for what JSON calls an object. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** True for an own property with a value: what is inherited is no data, and `undefined` is never sent. */
export function hasProperty(record: Readonly<Record<string, unknown>>, name: string): boolean {
  return Object.hasOwn(record, name) && record[name] !== undefined;
}
