import { isObject, objectOf, objectsIn } from "../json-body.ts";
import type { Refusal } from "../dialect.ts";
import { refuseIf } from "./checks.ts";

/** Refuses a strict schema with an open object or optional fields. */
export function refuseLooseSchema(schema: unknown, name: string): Refusal | undefined {
  const found = looseness(schema);
  return refuseIf(found !== undefined, `Invalid schema for '${name}': ${found}`, name);
}

function looseness(schema: unknown): string | undefined {
  if (!isObject(schema)) return undefined;
  const { properties, required, additionalProperties } = schema;
  const fields = objectOf(properties);
  if (schema["type"] === "object" || properties !== undefined) {
    if (additionalProperties !== false) return "'additionalProperties' is required to be supplied and to be false.";
    const missing = Object.keys(fields).find((field) => !Array.isArray(required) || !required.includes(field));
    if (missing !== undefined)
      return `'required' is required to include every key in properties. Missing '${missing}'.`;
  }
  const forbidden = ["oneOf", "allOf", "not", "default"].find((keyword) => schema[keyword] !== undefined);
  if (forbidden !== undefined) return `'${forbidden}' is not permitted.`;
  const inner = [...Object.values(fields), ...Object.values(objectOf(schema["$defs"])), schema["items"]];
  return [...inner, ...objectsIn(schema["anyOf"])].map(looseness).find((found) => found !== undefined);
}
