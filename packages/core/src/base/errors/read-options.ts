import { isRecord } from "../util/is-record.ts";
import { describeSafely } from "../util/describe-safely.ts";
import { nearestName } from "../util/nearest-name.ts";
import { TroupeError } from "./troupe-error.ts";
import type { ErrorCode } from "./troupe-error.ts";

/**
 * Facts for the errors of `readOptions` or of an option check: the owner of the options, the path before each option's
 * name, and the error code. Declare it as a constant instead of creating it for each call.
 */
export type OptionContext = {
  /**
   * The owner of the options in errors about unknown options: `agent`, followed by the options' own `name`. @default
   * the path
   */
  readonly owner?: string | undefined;
  /** The path before the name of each option: `retry` makes `retry.maxRetries`. */
  readonly path?: string | undefined;
  /** The code of the errors about wrong options. @default "invalid_config" */
  readonly code?: ErrorCode | undefined;
  /** Allows instances of classes to have other fields beside the options; object literals never may. @default false */
  readonly openClasses?: boolean | undefined;
  /** Options that are not part of the public API: errors about unknown options do not list them. */
  readonly internal?: readonly string[] | undefined;
  /** Option names of other libraries, each with our option that it corresponds to. */
  readonly otherNames?: Readonly<Record<string, string>> | undefined;
};

/**
 * Function that checks one option of a public function or class. Returns the option's value, or its default if missing.
 * Throws `wrongOption` for a value that the option does not accept.
 */
export type OptionCheck<Value> = (value: unknown, name: string, where: OptionContext) => Value;

/**
 * Table for `readOptions` with a check for each option of a type: `{ … } satisfies OptionTable<Options>` requires a
 * check for every option and no others.
 */
export type OptionTable<Options> = {
  readonly [Name in keyof Required<Options>]: OptionCheck<Options[Name] | undefined>;
};

type Table = Readonly<Record<string, OptionCheck<unknown>>>;
type Read<Checks extends Table, Name extends keyof Checks> = ReturnType<Checks[Name]>;
type OptionalName<Checks extends Table> = {
  [Name in keyof Checks]: undefined extends Read<Checks, Name> ? Name : never;
}[keyof Checks];

/** Type of the options that `readOptions` returns for a table. Options without a value and a default are omitted. */
export type OptionsOf<Checks extends Table> = {
  [Name in Exclude<keyof Checks, OptionalName<Checks>>]: Read<Checks, Name>;
} & { [Name in OptionalName<Checks>]?: Exclude<Read<Checks, Name>, undefined> };

/**
 * Checks an options object by a table with a check for each option. Returns the options with their defaults as a new
 * object. Throws for a wrong value and for an unknown name. A class of which many instances are made may call its
 * option checks directly instead, which is faster.
 */
export function readOptions<Checks extends Table>(
  table: Checks,
  options: unknown,
  where: OptionContext,
): OptionsOf<Checks> {
  if (!isRecord(options)) {
    const name = where.path ?? `The options${where.owner === undefined ? "" : ` of ${where.owner}`}`;
    throw wrongOption({ name, code: where.code }, "an object", options);
  }
  checkOptionNames(table, options, where);
  const read: Record<string, unknown> = {};
  for (const name in table) {
    const value = table[name]?.(options[name], name, where);
    if (value !== undefined) read[name] = value;
  }
  return read as OptionsOf<Checks>;
}

/**
 * Makes the error of a wrong option: within a check `wrongOption({ ...where, name }, "a colour", value)`. The message
 * shows numbers and booleans; of any other value, which may be a secret, it shows only the type.
 */
export function wrongOption(
  option: string | (OptionContext & { name: string }),
  expected: string,
  value: unknown,
): TroupeError {
  const { name, path, code = "invalid_config" } = typeof option === "string" ? { name: option } : option;
  const fullName = path === undefined ? name : `${path}.${name}`;
  return new TroupeError(code, `${fullName} must be ${expected}, got ${describeSafely(value)}.`);
}

/** Joins names for a sentence of an error message: "a, b or c". */
export function joinNames(names: readonly string[], word: "and" | "or"): string {
  return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} ${word} ${names.at(-1)}`;
}

/**
 * Throws for an option whose name is not a key of `known`, such as a misspelt name; with `openClasses` class instances
 * may have other fields. For options whose values are checked elsewhere.
 */
export function checkOptionNames(known: object, options: object, where: OptionContext): void {
  for (const name in options) {
    if (Object.hasOwn(known, name) || !Object.hasOwn(options, name)) continue;
    if (where.openClasses === true && Object.getPrototypeOf(options) !== Object.prototype) return;
    throw unknownOption(name, { known, options, where });
  }
}

type Unknown = { readonly known: object; readonly options: object; readonly where: OptionContext };

/** Makes the error for an unknown option. It lists no internal names, and suggests a similar option if there is one. */
function unknownOption(name: string, { known, options, where }: Unknown): TroupeError {
  const { owner, path = "the options", code = "invalid_config", internal = [], otherNames = {} } = where;
  const ofOwner = owner === undefined ? path : nameOwner(owner, options);
  const names = Object.keys(known).filter((each) => !internal.includes(each));
  const meant = Object.hasOwn(otherNames, name) ? otherNames[name] : nearestName(name, names);
  const hint = meant === undefined ? "" : ` Did you mean ${meant}?`;
  const expected = joinNames(names, "or");
  return new TroupeError(
    code,
    `Unknown option ${JSON.stringify(name.slice(0, 64))} of ${ofOwner}. Expected ${expected}.${hint}`,
  );
}

function nameOwner(owner: string, options: { name?: unknown }): string {
  return typeof options.name === "string" ? `${owner} ${JSON.stringify(options.name.slice(0, 64))}` : owner;
}
