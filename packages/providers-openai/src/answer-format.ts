import type { ResponseFormat } from "@troupe/core";
import { fitsStrict } from "./fits-strict.ts";
import type { ModelRules } from "./model-rules.ts";

/** A schema for the answer, with the fields that the vendor needs. */
type NamedSchema = { name: string; schema: Record<string, unknown>; strict: boolean };

/** The format of the answer that the model takes, and the instruction for the rest. */
export type AnswerFormat = {
  type: "text" | "json_object" | "json_schema";
  schema?: NamedSchema;
  instruction?: string;
};

/** Tells if the answer must be JSON. */
export function wantsJson(format: ResponseFormat | undefined): boolean {
  return format !== undefined && format !== "text";
}

/** Chooses the strictest format that the rules allow. The answer is checked in any case. */
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
