import type { Schema } from "./open-api-spec.ts";

/** What 3.0 says as JSON Schema does. */
const shared = new Set(
  `title description default enum format pattern minLength maxLength minimum maximum multipleOf minItems maxItems
   uniqueItems minProperties maxProperties required readOnly writeOnly deprecated`.split(/\s+/),
);

/**
 * Says a JSON Schema (draft 2020-12) as OpenAPI 3.0 can. What that has no words for is left out, so that the result takes
 * all that the schema takes, and may take more: a description must never refuse what is right.
 */
export function toOpenApiSchema(schema: unknown): Schema {
  return convert(schema, { root: schema, within: [] });
}

type Place = {
  root: unknown;
  /** The references that led here: one that leads to itself ends as anything. */ within: string[];
};

function convert(schema: unknown, place: Place): Schema {
  if (!isFields(schema)) return {};
  if (typeof schema["$ref"] === "string") return convertReference(schema["$ref"], place);
  const kept = Object.fromEntries(Object.entries(schema).filter(([keyword]) => shared.has(keyword)));
  return { ...kept, ...convertType(schema, place), ...convertParts(schema, place), ...convertBounds(schema) };
}

function convertReference(reference: string, { root, within }: Place): Schema {
  if (!/^#(\/|$)/.test(reference) || within.includes(reference) || within.length > 20) return {};
  const steps = reference.split("/").slice(1).map(unescapeStep);
  const target = steps.reduce<unknown>((at, step) => (isFields(at) ? at[step] : undefined), root);
  return convert(target, { root, within: [...within, reference] });
}

function unescapeStep(step: string): string {
  return step.replaceAll("~1", "/").replaceAll("~0", "~");
}

/** Null is no type in 3.0, and several types are alternatives. */
function convertType({ type, const: only, items, prefixItems }: Schema, place: Place): Schema {
  const word = only === undefined ? {} : { enum: [only] };
  const types = (Array.isArray(type) ? type : [type]).filter((each) => typeof each === "string");
  const nullable = types.includes("null") ? { nullable: true } : {};
  const [first, ...more] = types.filter((each) => each !== "null");
  if (first === undefined || more.length > 0) return only === null ? {} : word;
  // A list must have a schema of its items in 3.0, which are all alike there.
  const every = prefixItems === undefined ? convert(items, place) : {};
  return { type: first, ...nullable, ...word, ...(first === "array" && { items: every }) };
}

function convertParts(schema: Schema, place: Place): Schema {
  const { properties, additionalProperties, anyOf, oneOf, allOf } = schema;
  const alternatives = [anyOf, oneOf].find((list) => Array.isArray(list)) as unknown[] | undefined;
  return {
    ...(isFields(properties) && { properties: mapValues(properties, (each) => convert(each, place)) }),
    ...(isFields(additionalProperties) && { additionalProperties: convert(additionalProperties, place) }),
    // `false` counts the properties beside it alone, and some that are known to JSON Schema may have been left out.
    ...(additionalProperties === false &&
      isFields(properties) &&
      !("patternProperties" in schema) && { additionalProperties }),
    // Alternatives that became wider may both fit, which oneOf would refuse.
    ...(alternatives && { anyOf: alternatives.map((each) => convertAlternative(each, place)) }),
    ...(Array.isArray(allOf) && { allOf: allOf.map((each) => convert(each, place)) }),
  };
}

/** Whoever writes "or null" writes it as an alternative. */
function convertAlternative(schema: unknown, place: Place): Schema {
  const isNull = isFields(schema) && schema["type"] === "null";
  return isNull ? { type: "object", nullable: true, maxProperties: 0 } : convert(schema, place);
}

/** Bounds that exclude themselves are a number in JSON Schema, and a flag beside the bound in 3.0. */
function convertBounds({ exclusiveMinimum, exclusiveMaximum }: Schema): Schema {
  return {
    ...(typeof exclusiveMinimum === "number" && { minimum: exclusiveMinimum, exclusiveMinimum: true }),
    ...(typeof exclusiveMaximum === "number" && { maximum: exclusiveMaximum, exclusiveMaximum: true }),
  };
}

function mapValues(fields: Schema, convertValue: (value: unknown) => Schema): Record<string, Schema> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, convertValue(value)] as const));
}

function isFields(value: unknown): value is Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
