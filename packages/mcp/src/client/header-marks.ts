/**
 * The field of a schema property that names a request header, in which the client must repeat the property's
 * argument.
 */
export const headerMark = "x-mcp-header";

const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const types: readonly unknown[] = ["string", "integer", "boolean"];

/** Schema fields beside `properties` that hold schemas by name. */
const namedSchemas = ["patternProperties", "dependentSchemas", "$defs", "definitions"];
/**
 * Schema fields that hold a schema or an array of schemas. `x-mcp-header` is invalid inside them, because a call may
 * lack a value there.
 */
const innerSchemas = [
  "items",
  "prefixItems",
  "contains",
  "additionalProperties",
  "unevaluatedProperties",
  "unevaluatedItems",
  "propertyNames",
  "oneOf",
  "anyOf",
  "allOf",
  "not",
  "if",
  "then",
  "else",
];

/**
 * Returns true if the uses of `x-mcp-header` in a tool's schema follow the revision of 2026-07-28. They must be on
 * strings, integers and booleans that are reached through `properties` alone, and be valid and unique header names. A
 * client over HTTP omits all other tools.
 */
export function hasValidHeaderMarks(schema: unknown): boolean {
  const names = new Set<string>();
  const isValid = (node: unknown, place: Place): boolean => {
    if (typeof node !== "object" || node === null) return true;
    const fields = node as Record<string, unknown>;
    if (Object.hasOwn(fields, headerMark) && !(place === "reached" && isValidMark(fields, names))) return false;
    const reached = valuesOf(fields["properties"]);
    const inner = [
      ...namedSchemas.flatMap((field) => valuesOf(fields[field])),
      ...innerSchemas.flatMap((field) => fields[field]),
    ];
    return (
      reached.every((each) => isValid(each, place === "inner" ? "inner" : "reached")) &&
      inner.every((each) => isValid(each, "inner"))
    );
  };
  return isValid(schema, "root");
}

/**
 * The position of a schema within a tool's schema: the root, reached from the root through `properties` alone, or
 * inside another field.
 */
type Place = "root" | "reached" | "inner";

function isValidMark({ [headerMark]: name, type }: Record<string, unknown>, names: Set<string>): boolean {
  if (typeof name !== "string" || !token.test(name) || !types.includes(type)) return false;
  const isNew = !names.has(name.toLowerCase());
  names.add(name.toLowerCase());
  return isNew;
}

function valuesOf(value: unknown): unknown[] {
  return typeof value === "object" && value !== null ? Object.values(value) : [];
}

/** Returns a schema without `x-mcp-header`, which is meant for clients of the protocol and not for models. */
export function withoutHeaderMarks(schema: object): object {
  const { [headerMark]: _mark, ...rest } = schema as Record<string, unknown>;
  const { properties } = rest;
  if (typeof properties !== "object" || properties === null) return rest;
  const own = Object.entries(properties).map(([name, each]: [string, unknown]) => {
    return [name, typeof each === "object" && each !== null ? withoutHeaderMarks(each) : each];
  });
  return { ...rest, properties: Object.fromEntries(own) as unknown };
}
