import { findValue } from "./find-value.ts";
import type { Source } from "./find-value.ts";
import { allowsNull, asArray, asSchema, fieldsOf, resolveReference, typeOf } from "./schema.ts";
import type { Field, Schema } from "./schema.ts";

/** From this depth on, the last of several alternatives is taken: in a recursive schema it is usually the one that ends. */
const recursionDepth = 5;

/** Makes a value that is valid under the schema, from the texts where they hold one, else made up. */
export function valueFromSchema(root: Schema, source: Source): unknown {
  return make({ name: "answer", schema: root, isRequired: true }, 0);

  function make(field: Field, depth: number): unknown {
    const schema = flatten(field.schema, depth);
    if (Object.hasOwn(schema, "const")) return schema["const"];
    const found = findValue({ ...field, schema }, source);
    if (Array.isArray(schema["enum"])) return found ?? schema["enum"][0];
    if (found === undefined && allowsNull(field.schema)) return null;
    const type = typeOf(schema);
    if (type === "object") return makeObject(schema, depth);
    if (type === "array") return makeArray(field.name, schema, depth);
    return makeScalar(schema, found ?? `made up (${field.name})`);
  }

  /** Resolves references, merges `allOf`, and chooses one alternative of `anyOf` or `oneOf`. */
  function flatten(given: Schema, depth: number): Schema {
    const { anyOf, oneOf = anyOf, allOf, ...schema } = resolveReference(given, root);
    const alternatives = asArray(oneOf).map(asSchema);
    const chosen = depth < recursionDepth ? alternatives[0] : alternatives.at(-1);
    const parts = [...asArray(allOf).map(asSchema), ...(chosen === undefined ? [] : [chosen])];
    return parts.length === 0 ? schema : parts.reduce((all, part) => merge(all, flatten(part, depth + 1)), schema);
  }

  function makeObject(schema: Schema, depth: number): Record<string, unknown> {
    const entries = fieldsOf(schema)
      .filter((field) => field.isRequired || findValue(field, source) !== undefined)
      .map((field) => [field.name, make(field, depth + 1)] as const);
    return Object.fromEntries(entries);
  }

  function makeArray(name: string, { minItems, items }: Schema, depth: number): unknown[] {
    const length = typeof minItems === "number" ? minItems : 0;
    return Array.from({ length }, () => make({ name, schema: asSchema(items), isRequired: true }, depth + 1));
  }
}

function merge(one: Schema, other: Schema): Schema {
  const properties = { ...asSchema(one["properties"]), ...asSchema(other["properties"]) };
  const required = [one["required"], other["required"]].flatMap((names) => asArray(names));
  const isObject = Object.keys(properties).length > 0;
  return { ...one, ...other, ...(isObject && { properties, required }) };
}

/** Example strings by format. */
const formats: Readonly<Record<string, string>> = {
  date: "2000-01-01",
  "date-time": "2000-01-01T00:00:00Z",
  time: "00:00:00Z",
  email: "nobody@example.com",
  uri: "https://example.com/",
  uuid: "00000000-0000-4000-8000-000000000000",
};

function makeScalar(schema: Schema, wanted: unknown): unknown {
  switch (typeOf(schema)) {
    case "string":
      return makeString(schema, wanted);
    case "number":
    case "integer":
      return makeNumber(schema, wanted);
    case "boolean":
      return false;
    default:
      return null;
  }
}

function makeString({ format, minLength, maxLength }: Schema, wanted: unknown): string {
  if (typeof format === "string" && Object.hasOwn(formats, format)) return formats[format] ?? "";
  return String(wanted).padEnd(numberOr(minLength, 0), ".").slice(0, numberOr(maxLength, Infinity));
}

/** Makes the allowed number that is nearest to the wanted one. */
function makeNumber(schema: Schema, wanted: unknown): number {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf, type } = schema;
  const step = numberOr(multipleOf, type === "integer" ? 1 : 0);
  // The distance from an exclusive bound.
  const gap = step === 0 ? 0.001 : step;
  const least = Math.max(numberOr(minimum, -Infinity), numberOr(exclusiveMinimum, -Infinity) + gap);
  const most = Math.min(numberOr(maximum, Infinity), numberOr(exclusiveMaximum, Infinity) - gap);
  const nearest = Math.min(Math.max(numberOr(wanted, 0), least), most);
  if (step === 0) return nearest;
  const above = Math.ceil(nearest / step) * step;
  return above > most ? Math.floor(nearest / step) * step : above;
}

function numberOr(value: unknown, otherwise: number): number {
  return typeof value === "number" ? value : otherwise;
}
