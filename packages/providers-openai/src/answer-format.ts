import type { ResponseFormat } from "@troupe/core";
import { fitsStrict } from "./fits-strict.ts";
import type { ModelRules } from "./model-rules.ts";

/** A schema that the answer is to have, with what a vendor wants to know of it. */
type NamedSchema = { name: string; schema: Record<string, unknown>; strict: boolean };

/** The form of the answer, as far as the model can be asked for it, and what has to be said in words. */
export type AnswerFormat = {
  type: "text" | "json_object" | "json_schema";
  schema?: NamedSchema;
  instruction?: string;
};

/** Whether the answer is to be JSON. */
export function wantsJson(format: ResponseFormat | undefined): boolean {
  return format !== undefined && format !== "text";
}

/** Asks for a form in the strongest way that the rules allow; what is asked for in words alone is checked all the same. */
export function toAnswerFormat(format: ResponseFormat | undefined, rules: ModelRules): AnswerFormat {
  if (format === undefined || format === "text") return { type: "text" };
  const type = rules.jsonObject ? "json_object" : "text";
  // The vendor refuses to answer with JSON unless a message asks for it by that word.
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
