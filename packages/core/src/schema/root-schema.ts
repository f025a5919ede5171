import type { JsonSchema } from "./object-schema.ts";

const combinators = ["$ref", "allOf", "anyOf", "const", "enum", "if", "not", "oneOf"];

/**
 * Brings the root into the form that all vendors take, `{ type: "object", properties: … }`, where it means the same.
 * Gives nothing when the root is not, or not only, an object. `isArguments` says that nothing else can come: then a root
 * that leaves its type open is an object too.
 */
export function toObjectRoot(jsonSchema: JsonSchema, isArguments: boolean): JsonSchema | undefined {
  const root = inlineRootReference(jsonSchema);
  const isOpen = root["type"] === undefined && !combinators.some((keyword) => Object.hasOwn(root, keyword));
  const isAssumed = isOpen && (isArguments || root["properties"] !== undefined);
  if (root["type"] !== "object" && !isAssumed) return undefined;
  return { ...root, type: "object", properties: root["properties"] ?? {} };
}

/** Puts any schema under the property `value` of an object; what pointed to the root points to where it went. */
export function wrapRoot(jsonSchema: JsonSchema): JsonSchema {
  const { $defs, ...value } = moveReferences(jsonSchema) as Record<string, unknown>;
  return {
    type: "object",
    properties: { value },
    required: ["value"],
    additionalProperties: false,
    ...($defs !== undefined && { $defs }),
  };
}

/** A recursive schema's root may be nothing but a reference to its own definition. */
function inlineRootReference(jsonSchema: JsonSchema): JsonSchema {
  const { $ref: reference, $defs: definitions, ...rest } = jsonSchema;
  if (typeof reference !== "string" || !isRecord(definitions)) return jsonSchema;
  const name = /^#\/\$defs\/([^/~%]+)$/.exec(reference)?.[1];
  const target = name !== undefined && Object.hasOwn(definitions, name) ? definitions[name] : undefined;
  if (!isRecord(target) || !Object.keys(rest).every((key) => isRemark(key) || !Object.hasOwn(target, key)))
    return jsonSchema;
  return { ...target, ...rest, $defs: definitions };
}

function isRemark(keyword: string): boolean {
  return keyword === "title" || keyword === "description";
}

function moveReferences(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(moveReferences);
  if (!isRecord(node)) return node;
  const entries = Object.entries(node).map(([key, part]) => [key, key === "$ref" ? moved(part) : moveReferences(part)]);
  return Object.fromEntries(entries) as JsonSchema;
}

function moved(reference: unknown): unknown {
  if (typeof reference !== "string" || reference.startsWith("#/$defs/")) return moveReferences(reference);
  return reference === "#" || reference.startsWith("#/") ? `#/properties/value${reference.slice(1)}` : reference;
}

function isRecord(value: unknown): value is JsonSchema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
