import type { OpenApiSchema } from "./open-api-spec.ts";

/** Keywords that OpenAPI 3.0 shares with JSON Schema. */
const shared = new Set(
  `title description default enum format pattern minLength maxLength minimum maximum multipleOf minItems maxItems
   uniqueItems minProperties maxProperties required readOnly writeOnly deprecated`.split(/\s+/),
);

/**
 * Converts a JSON Schema (draft 2020-12), such as that of an agent's output, to OpenAPI 3.0. Keywords without a
 * counterpart are left out: the result accepts every value that the schema accepts, and may accept more.
 */
export function toOpenApiSchema(schema: unknown): OpenApiSchema {
  return convert(schema, { root: schema, within: [] });
}

type Place = {
  root: unknown;
  /** The references that led here. One that leads to itself becomes a schema that accepts anything. */
  within: string[];
};

function convert(schema: unknown, place: Place): OpenApiSchema {
  if (!isFields(schema)) return {};
  if (typeof schema["$ref"] === "string") return convertReference(schema["$ref"], place);
  const kept = Object.fromEntries(Object.entries(schema).filter(([keyword]) => shared.has(keyword)));
  return { ...kept, ...convertType(schema, place), ...convertParts(schema, place), ...convertBounds(schema) };
}

function convertReference(reference: string, { root, within }: Place): OpenApiSchema {
  if (!/^#(\/|$)/.test(reference) || within.includes(reference) || within.length > 20) return {};
  const steps = reference.split("/").slice(1).map(unescapeStep);
  const target = steps.reduce<unknown>((at, step) => (isFields(at) ? at[step] : undefined), root);
  return convert(target, { root, within: [...within, reference] });
}

function unescapeStep(step: string): string {
  return step.replaceAll("~1", "/").replaceAll("~0", "~");
}

/** OpenAPI 3.0 has no type `null`, and no list of types. */
function convertType({ type, const: only, items, prefixItems }: OpenApiSchema, place: Place): OpenApiSchema {
  const word = only === undefined ? {} : { enum: [only] };
  const types = (Array.isArray(type) ? type : [type]).filter((each) => typeof each === "string");
  const nullable = types.includes("null") ? { nullable: true } : {};
  const [first, ...more] = types.filter((each) => each !== "null");
  if (first === undefined || more.length > 0) return only === null ? {} : word;
  // An array must have one schema for all its items in 3.0.
  const every = prefixItems === undefined ? convert(items, place) : {};
  return { type: first, ...nullable, ...word, ...(first === "array" && { items: every }) };
}

function convertParts(schema: OpenApiSchema, place: Place): OpenApiSchema {
  const { properties, additionalProperties, anyOf, oneOf, allOf } = schema;
  const alternatives = [anyOf, oneOf].find((list) => Array.isArray(list)) as unknown[] | undefined;
  return {
    ...(isFields(properties) && { properties: mapValues(properties, (each) => convert(each, place)) }),
    ...(isFields(additionalProperties) && { additionalProperties: convert(additionalProperties, place) }),
    // `false` would refuse the properties that only `patternProperties` allows.
    ...(additionalProperties === false &&
      isFields(properties) &&
      !("patternProperties" in schema) && { additionalProperties }),
    // Not oneOf: alternatives that became wider may both match.
    ...(alternatives && { anyOf: alternatives.map((each) => convertAlternative(each, place)) }),
    ...(Array.isArray(allOf) && { allOf: allOf.map((each) => convert(each, place)) }),
  };
}

/** Converts `null` as an alternative, the usual way to write "or null". */
function convertAlternative(schema: unknown, place: Place): OpenApiSchema {
  const isNull = isFields(schema) && schema["type"] === "null";
  return isNull ? { type: "object", nullable: true, maxProperties: 0 } : convert(schema, place);
}

/** Exclusive bounds are numbers in JSON Schema, and flags beside the bounds in 3.0. */
function convertBounds({ exclusiveMinimum, exclusiveMaximum }: OpenApiSchema): OpenApiSchema {
  return {
    ...(typeof exclusiveMinimum === "number" && { minimum: exclusiveMinimum, exclusiveMinimum: true }),
    ...(typeof exclusiveMaximum === "number" && { maximum: exclusiveMaximum, exclusiveMaximum: true }),
  };
}

function mapValues(
  fields: OpenApiSchema,
  convertValue: (value: unknown) => OpenApiSchema,
): Record<string, OpenApiSchema> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, convertValue(value)] as const));
}

function isFields(value: unknown): value is OpenApiSchema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
