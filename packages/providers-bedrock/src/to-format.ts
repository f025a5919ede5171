import type { ResponseFormat } from "@troupe/core";
import { readObject } from "@troupe/core/kit";
import type { RequestContext } from "./request-context.ts";
import type { WireOutputConfig } from "./wire-types.ts";

/** The request for JSON: a schema that Bedrock enforces, or an instruction in words. Both are absent for text. */
export type Format = Pick<WireOutputConfig, "textFormat"> & { instruction?: string };

const jsonAlone = "Answer with one JSON value and nothing else: no words around it, no code fence.";

/**
 * Converts the option `responseFormat` to a schema that Bedrock enforces. JSON without a schema, and schemas that cannot
 * be enforced, become an instruction in words, because Bedrock has no other JSON mode.
 */
export function toFormat(wanted: ResponseFormat | undefined, { rules, reportReplaced }: RequestContext): Format {
  if (wanted === undefined || wanted === "text") return {};
  if (wanted === "json") return { instruction: jsonAlone };
  const { schema, name } = wanted;
  if (rules.structuredOutput && isEnforceable(schema)) {
    const { $schema: _, ...own } = schema;
    const jsonSchema = { schema: JSON.stringify(own), ...(name !== undefined && { name: toName(name) }) };
    return { textFormat: { type: "json_schema", structure: { jsonSchema } } };
  }
  reportReplaced(
    "the schema of responseFormat",
    "the model cannot be held to it; it stands in the instructions instead",
  );
  return { instruction: `${jsonAlone} It must fit this JSON schema:\n${JSON.stringify(schema)}` };
}

function toName(name: string): string {
  return name.replace(/[^\w-]/g, "_").slice(0, 64) || "answer";
}

/** Keywords that Bedrock accepts in a schema. It refuses limits of numbers, strings and arrays, and references. */
const keywords = [
  "$schema",
  "type",
  "title",
  "description",
  "enum",
  "const",
  "properties",
  "required",
  "items",
  "anyOf",
  "additionalProperties",
];

/** Returns true if Bedrock can enforce a JSON schema: each object in it is closed, and no keyword is refused. */
function isEnforceable(schema: unknown): boolean {
  if (!isObject(schema) || !Object.keys(schema).every((keyword) => keywords.includes(keyword))) return false;
  const { type, properties, additionalProperties, items, anyOf } = schema;
  if (type === "object" && (!isObject(properties) || additionalProperties !== false)) return false;
  if (type === "array" && items === undefined) return false;
  return [...Object.values(readObject(properties)), ...listOf(items), ...listOf(anyOf)].every(isEnforceable);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function listOf(value: unknown): readonly unknown[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? value : [value];
}
