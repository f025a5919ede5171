import { findValue } from "./find-value.ts";
import type { Source } from "./find-value.ts";
import { makeString } from "./make-string.ts";
import { allowsNull, asArray, asSchema, fieldsOf, resolveReference, typeOf } from "./schema.ts";
import type { Field, Schema } from "./schema.ts";

/**
 * Depth of a schema from which the last of several alternatives is chosen: in a recursive schema it usually ends the
 * recursion.
 */
const recursionDepth = 5;

/** Names of fields whose values were invented, or changed to be valid, because the texts have no valid values. */
type Notes = { readonly invented: string[] };

/**
 * Makes a value that is valid under the schema. Takes the value from the texts, or from a constant or default of the
 * schema. Otherwise invents a value and records the field's name.
 */
export function valueFromSchema(root: Schema, texts: Source, { invented }: Notes = { invented: [] }): unknown {
  const taken = new Set<unknown>();
  const source = { ...texts, taken };
  return make({ name: "answer", schema: root, isRequired: true }, 0);

  function make(field: Field, depth: number): unknown {
    const schema = flatten(field.schema, depth);
    if (Object.hasOwn(schema, "const")) return schema["const"];
    const found = findValue({ ...field, schema }, source);
    taken.add(found);
    if (found === undefined && Object.hasOwn(schema, "default")) return schema["default"];
    if (found === undefined && allowsNull(field.schema)) return null;
    const type = typeOf(schema);
    if (type === "object") return makeObject(schema, depth);
    return type === "array" ? makeArray({ ...field, schema }, found, depth) : makeValue({ ...field, schema }, found);
  }

  /**
   * Makes a scalar value from the value found in the texts. Records the field's name if the value was invented, or
   * changed to be valid.
   */
  function makeValue({ name, schema }: Field, found: unknown): unknown {
    const options = asArray(schema["enum"]);
    const value = options.length > 0 ? (found ?? options[0]) : makeScalar(schema, found ?? `made up (${name})`);
    if (found === undefined || (typeof found === "string" && value !== found)) invented.push(name);
    return value;
  }

  /** Simplifies a schema: resolves references, merges `allOf`, and chooses one alternative of `anyOf` or `oneOf`. */
  function flatten(given: Schema, depth: number): Schema {
    const { anyOf, oneOf = anyOf, allOf, ...schema } = resolveReference(given, root);
    const alternatives = asArray(oneOf).map(asSchema);
    const chosen = depth < recursionDepth ? alternatives[0] : alternatives.at(-1);
    const parts = [...asArray(allOf).map(asSchema), ...(chosen === undefined ? [] : [chosen])];
    return parts.length === 0 ? schema : parts.reduce((all, part) => merge(all, flatten(part, depth + 1)), schema);
  }

  function makeObject(schema: Schema, depth: number): Record<string, unknown> {
    const entries = fieldsOf(schema)
      .filter((field) => field.isRequired || isFound({ ...field, schema: flatten(field.schema, depth + 1) }))
      .map((field) => [field.name, make(field, depth + 1)] as const);
    return Object.fromEntries(entries);
  }

  /** Returns true if the texts contain a value for an optional field. */
  function isFound(field: Field): boolean {
    const found = findValue(field, source);
    if (typeof found !== "string" || asArray(field.schema["enum"]).length > 0) return found !== undefined;
    return makeString(field.schema, found) === found;
  }

  function makeArray({ name, schema: { minItems, items } }: Field, found: unknown, depth: number): unknown[] {
    if (Array.isArray(found)) return found.map((item) => toItem(asSchema(items), item));
    const length = typeof minItems === "number" ? minItems : 0;
    return Array.from({ length }, () => make({ name, schema: asSchema(items), isRequired: true }, depth + 1));
  }
}

function toItem(schema: Schema, item: unknown): unknown {
  if (typeof item === "number") return makeNumber(schema, item);
  return typeof item === "string" && schema["enum"] === undefined ? makeString(schema, item) : item;
}

function merge(one: Schema, other: Schema): Schema {
  const properties = { ...asSchema(one["properties"]), ...asSchema(other["properties"]) };
  const required = [one["required"], other["required"]].flatMap((names) => asArray(names));
  const isObject = Object.keys(properties).length > 0;
  return { ...one, ...other, ...(isObject && { properties, required }) };
}

function makeScalar(schema: Schema, wanted: unknown): unknown {
  switch (typeOf(schema)) {
    case "string":
      return makeString(schema, String(wanted));
    case "number":
    case "integer":
      return makeNumber(schema, wanted);
    case "boolean":
      return wanted === true;
    default:
      return null;
  }
}

/** Makes a number that the schema allows, near the wanted number. */
function makeNumber(schema: Schema, wanted: unknown): number {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf, type } = schema;
  const step = numberOr(multipleOf, type === "integer" ? 1 : 0);
  // The distance that a generated number keeps from an exclusive bound.
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
