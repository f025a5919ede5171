type JsonSchema = Record<string, unknown>;

/** JSON Schema keywords that Gemini supports and whose values are not schemas. */
const plainKeywords = [
  "$id",
  "$ref",
  "$anchor",
  "type",
  "format",
  "title",
  "description",
  "enum",
  "required",
  "propertyOrdering",
  "minItems",
  "maxItems",
  "minimum",
  "maximum",
];
/** JSON Schema keywords whose value is one schema, or `true` or `false`. */
const schemaKeywords = ["items", "additionalProperties"];
const listKeywords = ["prefixItems", "anyOf", "oneOf"];
const mapKeywords = ["$defs", "properties"];

/**
 * Reduces the JSON Schema of a tool's parameters, or of the answer, to the keywords that Gemini supports. Arguments and
 * answer are later checked against the whole schema.
 */
export function toSchema(schema: JsonSchema): JsonSchema {
  const { const: value, definitions, ...rest } = mergeAll(schema);
  const known =
    definitions === undefined ? rest : { ...rest, $defs: { ...asSchema(definitions), ...asSchema(rest["$defs"]) } };
  // Beside a `$ref`, Gemini allows only keywords that begin with `$`.
  if (typeof known["$ref"] === "string") return toReference(known);
  const entries = Object.entries(known).flatMap(([keyword, held]) => toEntry(keyword, held));
  return { ...Object.fromEntries(entries), ...(value !== undefined && { enum: [value] }) };
}

function toReference(schema: JsonSchema): JsonSchema {
  const entries = Object.entries(schema).filter(([keyword]) => keyword.startsWith("$"));
  return Object.fromEntries(entries.flatMap(([keyword, held]) => toEntry(keyword, held)));
}

function toEntry(keyword: string, held: unknown): [string, unknown][] {
  if (keyword === "$ref") return [[keyword, String(held).replace(/^#\/definitions\//, "#/$defs/")]];
  if (plainKeywords.includes(keyword)) return [[keyword, held]];
  if (schemaKeywords.includes(keyword)) return [[keyword, toInner(held)]];
  if (listKeywords.includes(keyword) && Array.isArray(held)) return [[keyword, held.map(toInner)]];
  if (!mapKeywords.includes(keyword) || !isSchema(held)) return [];
  return [[keyword, Object.fromEntries(Object.entries(held).map(([name, inner]) => [name, toInner(inner)]))]];
}

function toInner(schema: unknown): unknown {
  return isSchema(schema) ? toSchema(schema) : schema;
}

/** Merges the schemas of `allOf`, which Gemini does not support, into the schema around them. */
function mergeAll(schema: JsonSchema): JsonSchema {
  const joined = Array.isArray(schema["allOf"]) ? schema["allOf"].filter(isSchema).map(mergeAll) : [];
  return joined.reduce((whole, { properties, required, ...rest }) => {
    const merged: JsonSchema = { ...rest, ...whole };
    if (properties !== undefined) merged["properties"] = { ...asSchema(properties), ...asSchema(whole["properties"]) };
    if (required !== undefined) merged["required"] = [...new Set([whole["required"] ?? [], required].flat())];
    return merged;
  }, schema);
}

function asSchema(value: unknown): JsonSchema {
  return isSchema(value) ? value : {};
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
