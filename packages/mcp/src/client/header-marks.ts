/** The field of a property by which a server wants the argument repeated in a header of the request. */
export const headerMark = "x-mcp-header";

const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const types: readonly unknown[] = ["string", "integer", "boolean"];

/** Fields of a schema that hold schemas by name, beside `properties`. */
const namedSchemas = ["patternProperties", "dependentSchemas", "$defs", "definitions"];
/** Fields that hold a schema or a list of schemas. A mark in one of them is wrong: it need not be reached. */
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
 * Tells if the marks of a schema are as the revision of 2026-07-28 wants them: on strings, integers and booleans that are
 * reached by `properties` alone, each the name of a header, none twice. A client over HTTP leaves out a tool with others.
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

/** The place of a schema: the root, reached from there by `properties` alone, or within another field. */
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

/** Returns a schema without marks: they are for clients of the protocol, not for models. */
export function withoutHeaderMarks(schema: object): object {
  const { [headerMark]: _mark, ...rest } = schema as Record<string, unknown>;
  const { properties } = rest;
  if (typeof properties !== "object" || properties === null) return rest;
  const own = Object.entries(properties).map(([name, each]: [string, unknown]) => {
    return [name, typeof each === "object" && each !== null ? withoutHeaderMarks(each) : each];
  });
  return { ...rest, properties: Object.fromEntries(own) as unknown };
}
