import { formatPath } from "./schema-issue.ts";

type Options = Record<string, unknown>;

/** The keyword that marks a location in a JSON Schema at which a library found a type that JSON does not have. */
const mark = "x-unrepresentable";

/**
 * Returns a schema library's options for conversion to JSON Schema. Valibot omits checks that are functions; ArkType
 * marks types that JSON does not have. `undefined` for zod and other libraries, which need no options.
 */
export function conversionOptions(library: string): Options | undefined {
  if (library === "arktype")
    return { fallback: { date: markAs("a Date"), proto: markAs("a class"), domain: markAs(domainOf) } };
  if (library === "valibot") return { ignoreActions: checkingActions };
  return undefined;
}

/**
 * Returns options for a second conversion to JSON Schema, after the first conversion threw. With these options the
 * library marks the type that JSON does not have, for `findUnrepresentable`. `undefined` for a library that cannot do
 * so.
 */
export function diagnosticOptions(library: string): Options | undefined {
  if (library === "zod") return { unrepresentable: markAs(typeOfZod) };
  if (library === "valibot") return { ignoreActions: checkingActions, overrideSchema: markValibot };
  return undefined;
}

/**
 * Finds the first type that JSON does not have, as marked by a conversion with `conversionOptions` or
 * `diagnosticOptions`, and the path of the property with this type. `undefined` if there is no mark.
 */
export function findUnrepresentable(jsonSchema: unknown): { path: string; what: string } | undefined {
  const found = findMark(jsonSchema, []);
  return found && { path: formatPath(toPropertyPath(found.path)), what: found.what };
}

// Valibot's actions that run functions of the program. Values are checked with them, but JSON Schema cannot express
// them. Asynchronous actions have the same names.
const checkingActions = ["check", "check_items", "partial_check", "raw_check"];

function markAs(name: string | ((context: Options) => string)) {
  return (context: Options) => ({ [mark]: typeof name === "string" ? name : name(context) });
}

function domainOf({ domain }: Options): string {
  return `a ${String(domain)}`;
}

function typeOfZod({ zodSchema }: Options): string {
  const { _zod: zod } = (zodSchema ?? {}) as { _zod?: { def?: { type?: unknown } } };
  return `the type ${String(zod?.def?.type)}`;
}

function markValibot({ errors, valibotSchema }: Options): Options | undefined {
  if (!Array.isArray(errors) || errors.length === 0) return undefined;
  return { [mark]: `the type ${String((valibotSchema as { type?: unknown } | undefined)?.type)}` };
}

type Found = { path: readonly string[]; what: string };

function findMark(node: unknown, path: readonly string[]): Found | undefined {
  if (typeof node !== "object" || node === null || path.length > 256) return undefined;
  for (const [key, part] of Object.entries(node)) {
    if (key === mark && typeof part === "string") return { path, what: part };
    const found = findMark(part, [...path, key]);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Converts a path through a JSON Schema into a path through its values: names of properties, and `*` for items. */
function toPropertyPath(path: readonly string[]): string[] {
  // True if the next segment of the path is the name of a property or a definition, which may equal a keyword.
  let isName = false;
  return path.flatMap((key) => {
    const wasName = isName;
    isName = !wasName && (key === "properties" || key === "$defs");
    if (wasName) return [key];
    return key === "items" || key === "prefixItems" || key === "additionalProperties" ? ["*"] : [];
  });
}
