import type { OpenApiSchema } from "./open-api-spec.ts";

/** Keywords that OpenAPI 3.0 shares with JSON Schema. */
const shared = new Set(
  `title description default enum format pattern minLength maxLength minimum maximum multipleOf minItems maxItems
   uniqueItems minProperties maxProperties required readOnly writeOnly deprecated`.split(/\s+/),
);

/**
 * Converts a JSON Schema (draft 2020-12), such as the schema of an agent's output, to OpenAPI 3.0. Drops keywords
 * without a counterpart, so the result accepts every value that the schema accepts, and perhaps more.
 */
export function toOpenApiSchema(schema: unknown): OpenApiSchema {
  return convert(schema, { root: schema, within: [] });
}

type Place = {
  root: unknown;
  /**
   * The references that were followed to reach this place in a JSON Schema. A circular reference becomes a schema that
   * accepts anything.
   */
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

/** Converts the types of a JSON Schema: OpenAPI 3.0 has no type `null` and no arrays of types. */
function convertType({ type, const: only, items, prefixItems }: OpenApiSchema, place: Place): OpenApiSchema {
  const word = only === undefined ? {} : { enum: [only] };
  const types = (Array.isArray(type) ? type : [type]).filter((each) => typeof each === "string");
  const nullable = types.includes("null") ? { nullable: true } : {};
  const [first, ...more] = types.filter((each) => each !== "null");
  if (first === undefined || more.length > 0) return only === null ? {} : word;
  // OpenAPI 3.0 allows only one schema for all items of an array.
  const every = prefixItems === undefined ? convert(items, place) : {};
  return { type: first, ...nullable, ...word, ...(first === "array" && { items: every }) };
}

function convertParts(schema: OpenApiSchema, place: Place): OpenApiSchema {
  const { properties, additionalProperties, anyOf, oneOf, allOf } = schema;
  const alternatives = [anyOf, oneOf].find((list) => Array.isArray(list)) as unknown[] | undefined;
  return {
    ...(isFields(properties) && { properties: mapValues(properties, (each) => convert(each, place)) }),
    ...(isFields(additionalProperties) && { additionalProperties: convert(additionalProperties, place) }),
    // `additionalProperties` is dropped if `patternProperties` allows further properties, because `false` would reject
    // them.
    ...(additionalProperties === false &&
      isFields(properties) &&
      !("patternProperties" in schema) && { additionalProperties }),
    ...(alternatives && convertAlternatives(alternatives, { schema, place })),
    ...(Array.isArray(allOf) && { allOf: allOf.map((each) => convert(each, place)) }),
  };
}

/**
 * Converts the alternatives of a JSON Schema. Schema libraries write "a type or null" as two alternatives, which become
 * one nullable type.
 */
function convertAlternatives(alternatives: readonly unknown[], { schema, place }: Alternatives): OpenApiSchema {
  const others = alternatives.filter((each) => !isNull(each));
  const converted = others.map((each) => convert(each, place));
  if (others.length === alternatives.length) return { anyOf: converted };
  const [only, another] = converted;
  const isOneType = another === undefined && typeof only?.["type"] === "string" && !("enum" in only);
  // In a single nullable type, keywords that restrict the value beside the alternatives would be lost.
  const isAlone = Object.keys(schema).every((keyword) => annotations.has(keyword));
  if (isOneType && isAlone) return { ...only, nullable: true };
  // The result is not `oneOf`: converted alternatives accept more, so two of them may match.
  return { anyOf: [...converted, { type: "object", nullable: true, maxProperties: 0 }] };
}

type Alternatives = { schema: OpenApiSchema; place: Place };

/** Keywords that may stand beside the alternatives of a schema without restricting its values. */
const annotations = new Set([
  "anyOf",
  "oneOf",
  "title",
  "description",
  "default",
  "deprecated",
  "readOnly",
  "writeOnly",
]);

function isNull(schema: unknown): boolean {
  return isFields(schema) && schema["type"] === "null";
}

/** Converts the bounds of a JSON Schema: exclusive bounds are numbers in JSON Schema, and flags in OpenAPI 3.0. */
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
