import type { Refusal } from "../call.ts";
import type { ModelRules } from "../model-rules.ts";

/**
 * Chooses the next weaker format after a refusal: a schema, any JSON object, an instruction. Servers do not announce which
 * formats they take.
 */
export function weakenChatRules(
  { message, param, isOpenAI }: Refusal,
  request: object,
): Partial<ModelRules> | undefined {
  const { response_format: format } = request as { response_format?: { type: string } };
  // OpenAI takes every format: it refuses the schema itself.
  if (isOpenAI || format === undefined || !`${param} ${message}`.includes("response_format")) return undefined;
  return format.type === "json_schema" ? { jsonSchema: false } : { jsonObject: false };
}
