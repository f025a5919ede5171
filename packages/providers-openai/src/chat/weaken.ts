import type { Refusal } from "../model-call.ts";
import type { ModelRules } from "../model-rules.ts";

/**
 * Returns rules with the next weaker answer format (schema, any JSON object, instruction) when a server refused the one
 * sent: servers do not announce which they take. `undefined` when the refusal has another cause.
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
