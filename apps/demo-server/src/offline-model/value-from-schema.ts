import { findValue } from "./find-value.ts";
import { makeScalar } from "./make-scalar.ts";
import type { Reading } from "./reading.ts";
import { asList, asSchema, fieldsOf, mayBeNull, resolve, typeOf } from "./schema.ts";
import type { Field, Schema } from "./schema.ts";

/** So deep in a schema that contains itself, the last of several forms is taken: it is the one that ends. */
const deepest = 5;

/** Makes a value that has the form of the schema: of what the texts hold, and where they hold nothing, of the form alone. */
export function valueFromSchema(root: Schema, reading: Reading): unknown {
  return make({ name: "answer", schema: root, isRequired: true }, 0);

  function make(field: Field, depth: number): unknown {
    const schema = plain(field.schema, depth);
    if (Object.hasOwn(schema, "const")) return schema["const"];
    const found = findValue({ ...field, schema }, reading);
    if (Array.isArray(schema["enum"])) return found ?? schema["enum"][0];
    if (found === undefined && mayBeNull(field.schema)) return null;
    const type = typeOf(schema);
    if (type === "object") return makeObject(schema, depth);
    if (type === "array") return makeArray(field.name, schema, depth);
    return makeScalar(schema, found ?? `made up (${field.name})`);
  }

  /** The schema with one form instead of several, and nothing that stands elsewhere. */
  function plain(given: Schema, depth: number): Schema {
    const { anyOf, oneOf = anyOf, allOf, ...schema } = resolve(given, root);
    const forms = asList(oneOf).map(asSchema);
    const form = depth < deepest ? forms[0] : forms.at(-1);
    const parts = [...asList(allOf).map(asSchema), ...(form === undefined ? [] : [form])];
    return parts.length === 0 ? schema : parts.reduce((all, part) => merge(all, plain(part, depth + 1)), schema);
  }

  function makeObject(schema: Schema, depth: number): Record<string, unknown> {
    const entries = fieldsOf(schema)
      .filter((field) => field.isRequired || findValue(field, reading) !== undefined)
      .map((field) => [field.name, make(field, depth + 1)] as const);
    return Object.fromEntries(entries);
  }

  function makeArray(name: string, { minItems, items }: Schema, depth: number): unknown[] {
    const length = typeof minItems === "number" ? minItems : 0;
    return Array.from({ length }, () => make({ name, schema: asSchema(items), isRequired: true }, depth + 1));
  }
}

/** Both together: fields of objects are those of either. */
function merge(one: Schema, other: Schema): Schema {
  const properties = { ...asSchema(one["properties"]), ...asSchema(other["properties"]) };
  const required = [one["required"], other["required"]].flatMap((names) => asList(names));
  const isObject = Object.keys(properties).length > 0;
  return { ...one, ...other, ...(isObject && { properties, required }) };
}
