import type { ResponseFormat } from "@troupe/core";
import { fitsStrict } from "./fits-strict.ts";
import type { ModelRules } from "./model-rules.ts";

/** A schema for the answer, with the name that the vendor requires. */
type NamedSchema = { name: string; schema: Record<string, unknown>; strict: boolean };

/** The answer format that the server enforces, and an instruction to the model for what the server does not enforce. */
export type AnswerFormat = {
  type: "text" | "json_object" | "json_schema";
  schema?: NamedSchema;
  instruction?: string;
};

/** Returns true if the option `responseFormat` asks for JSON, with or without a schema. */
export function wantsJson(format: ResponseFormat | undefined): boolean {
  return format !== undefined && format !== "text";
}

/**
 * Chooses the strictest answer format for `responseFormat` that the model supports: a schema, any JSON object, or only
 * an instruction. The answer is checked in any case.
 */
export function toAnswerFormat(format: ResponseFormat | undefined, rules: ModelRules): AnswerFormat {
  if (format === undefined || format === "text") return { type: "text" };
  const type = rules.jsonObject ? "json_object" : "text";
  // The vendor refuses the JSON format unless a message contains the word "JSON".
  if (format === "json") return { type, instruction: "Answer with JSON alone." };
  const { schema, name = "answer" } = format;
  if (!rules.jsonSchema) {
    return { type, instruction: `Answer with JSON alone, which fits this JSON Schema: ${JSON.stringify(schema)}` };
  }
  const strict = rules.strict && fitsStrict(schema);
  return { type: "json_schema", schema: { name: toSchemaName(name), schema, strict } };
}

function toSchemaName(name: string): string {
  return name.replace(/[^\w-]/g, "_").slice(0, 64) || "answer";
}
