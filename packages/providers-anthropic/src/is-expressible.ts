type JsonSchema = Record<string, unknown>;
type Check = (schema: unknown) => boolean;

const joins = ["anyOf", "oneOf", "allOf"];

/**
 * Returns true if Anthropic can enforce a JSON Schema. Otherwise the schema becomes part of the instructions.
 * Unsupported limits can become text in the schema. Open objects, values of any type and recursion cannot: the vendor
 * would close or refuse them.
 */
export function isExpressible(schema: Record<string, unknown>): boolean {
  const definitions = isRecord(schema["$defs"]) ? schema["$defs"] : {};
  const isKnown = Object.keys(definitions).every((name) => isDefined(`#/$defs/${name}`, definitions, []));
  return isKnown && fits(schema, definitions, []);
}

/** Returns true if a schema inside the checked schema can be enforced. `within`: the references that led to it. */
function fits(schema: unknown, definitions: JsonSchema, within: readonly string[]): boolean {
  if (!isRecord(schema)) return false;
  if (schema["$ref"] !== undefined) return isDefined(schema["$ref"], definitions, within);
  const check: Check = (each) => fits(each, definitions, within);
  const joined = joins.flatMap((keyword) => listOf(schema[keyword]));
  const isNamed = hasValues(schema) || (joined.length > 0 && schema["type"] === undefined);
  return joined.every(check) && (isNamed || hasType(schema, check));
}

function isDefined(reference: unknown, definitions: JsonSchema, within: readonly string[]): boolean {
  if (typeof reference !== "string" || within.includes(reference)) return false;
  const name = /^#\/\$defs\/([^/~%]+)$/.exec(reference)?.[1];
  if (name === undefined || !Object.hasOwn(definitions, name)) return false;
  return fits(definitions[name], definitions, [...within, reference]);
}

function hasValues({ enum: values, const: value }: JsonSchema): boolean {
  if (value !== undefined) return isPlain(value);
  return listOf(values).length > 0 && listOf(values).every(isPlain);
}

function hasType(schema: JsonSchema, check: Check): boolean {
  switch (schema["type"]) {
    case "object":
      return isClosed(schema) && Object.values(schema["properties"] as JsonSchema).every(check);
    case "array":
      return check(schema["items"]);
    case undefined:
      return false;
    default:
      return ![schema["type"]].flat().some((type) => type === "object" || type === "array");
  }
}

/** Returns true if an object has only named properties. `additionalProperties` counts only if it is a schema. */
function isClosed({ properties, patternProperties, additionalProperties }: JsonSchema): boolean {
  return isRecord(properties) && patternProperties === undefined && !isRecord(additionalProperties);
}

function isPlain(value: unknown): boolean {
  return value === null || typeof value !== "object";
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function isRecord(value: unknown): value is JsonSchema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
