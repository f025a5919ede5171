import type { Refusal } from "../model-call.ts";
import type { ModelRules } from "../model-rules.ts";

/**
 * Returns rules with the next weaker answer format (schema, any JSON object, instruction) if a server refused the
 * requested format. Servers do not announce which formats they support. Returns `undefined` if the refusal has another
 * cause.
 */
export function weakenChatRules(
  { message, param, isOpenAI }: Refusal,
  request: object,
): Partial<ModelRules> | undefined {
  const { response_format: format } = request as { response_format?: { type: string } };
  // OpenAI supports every type of `response_format`, so a refusal must be about the schema in it.
  if (isOpenAI || format === undefined || !`${param} ${message}`.includes("response_format")) return undefined;
  return format.type === "json_schema" ? { jsonSchema: false } : { jsonObject: false };
}
