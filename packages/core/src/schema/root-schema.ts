import { isRecord } from "../base/util/is-record.ts";
import type { JsonSchema } from "./object-schema.ts";

const combinators = ["$ref", "allOf", "anyOf", "const", "enum", "if", "not", "oneOf"];

/**
 * Converts the root of a JSON Schema to the form that all vendors accept, `{ type: "object", properties: … }`, if that
 * does not change its meaning. Returns `undefined` if the root may have another type than object. `isArguments` means
 * that every value is an object, so that a root without a type counts as an object.
 */
export function toObjectRoot(jsonSchema: JsonSchema, isArguments: boolean): JsonSchema | undefined {
  const root = inlineRootReference(jsonSchema);
  const isOpen = root["type"] === undefined && !combinators.some((keyword) => Object.hasOwn(root, keyword));
  const isAssumed = isOpen && (isArguments || root["properties"] !== undefined);
  if (root["type"] !== "object" && !isAssumed) return undefined;
  return { ...root, type: "object", properties: root["properties"] ?? {} };
}

/**
 * Wraps a schema in the property `value` of an object, for models that accept only objects at the root. Adjusts the
 * references to the root.
 */
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

/**
 * Replaces the root of a JSON Schema that is only a reference, as in recursive schemas, by the definition that it
 * refers to.
 */
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
