import { formatPath } from "./schema-issue.ts";

type Options = Record<string, unknown>;

/** Stands in a JSON Schema where a library met something that JSON cannot say. */
const mark = "x-unrepresentable";

/** How a library is asked, so that what only checks (a refinement) passes and what JSON cannot hold (a date) does not. */
export function usualOptions(vendor: string): Options | undefined {
  if (vendor === "arktype")
    return { fallback: { date: markAs("a Date"), proto: markAs("a class"), domain: markAs(domainOf) } };
  if (vendor === "valibot") return { ignoreActions: checkingActions };
  return undefined;
}

/** How a library that has thrown is asked again, to learn the place. */
export function markingOptions(vendor: string): Options | undefined {
  if (vendor === "zod") return { unrepresentable: markAs(typeOfZod) };
  if (vendor === "valibot") return { ignoreActions: checkingActions, overrideSchema: markValibot };
  return undefined;
}

/** Finds the first mark, and the path of the property that it stands for. */
export function findUnrepresentable(jsonSchema: unknown): { path: string; what: string } | undefined {
  const found = findMark(jsonSchema, []);
  return found && { path: formatPath(toPropertyPath(found.path)), what: found.what };
}

// The actions of Valibot that are functions of ours: the value is checked with them, the model does not see them.
const checks = ["check", "check_items", "partial_check", "raw_check"];
const checkingActions = [...checks, ...checks.map((name) => `${name}_async`)];

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

/** From the way through a JSON Schema, keeps the names of properties and writes a list's items as `[]`. */
function toPropertyPath(path: readonly string[]): string[] {
  return path.flatMap((key, index) => {
    const before = path[index - 1];
    if (before === "properties" || before === "$defs") return [key];
    return key === "items" || key === "prefixItems" || key === "additionalProperties" ? ["*"] : [];
  });
}
