import type { Refusal } from "../call.ts";
import type { ModelRules } from "../model-rules.ts";

/**
 * A server that refuses the form of the answer is asked for the next weaker one: a schema, some JSON object, words alone.
 * Which of them a server takes, it says only so.
 */
export function weaken({ message, param, isOpenAI }: Refusal, request: object): Partial<ModelRules> | undefined {
  const { response_format: format } = request as { response_format?: { type: string } };
  // OpenAI takes every form: what it refuses there is the schema itself.
  if (isOpenAI || format === undefined || !`${param} ${message}`.includes("response_format")) return undefined;
  return format.type === "json_schema" ? { jsonSchema: false } : { jsonObject: false };
}
