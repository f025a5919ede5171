import type { JSONOutputFormat } from "@anthropic-ai/sdk/resources/messages";
import type { ResponseFormat } from "@troupe/core";
import { isExpressible } from "./is-expressible.ts";
import type { RequestContext } from "./request-context.ts";
import { toEnforcedSchema } from "./to-enforced-schema.ts";

/** The request for JSON: a schema that the vendor enforces, or an instruction in words. Both are absent for text. */
export type Format = { format?: JSONOutputFormat; instruction?: string };

const jsonAlone = "Answer with one JSON value and nothing else: no words around it, no code fence.";

/**
 * Converts the option `responseFormat` to a schema that the vendor enforces. JSON without a schema, and schemas that
 * cannot be enforced, become an instruction in words, because the vendor has no other JSON mode.
 */
export function toFormat(wanted: ResponseFormat | undefined, context: RequestContext): Format {
  if (wanted === undefined || wanted === "text") return {};
  if (wanted === "json") return { instruction: jsonAlone };
  const { schema } = wanted;
  if (context.rules.structuredOutput && isExpressible(schema)) {
    return { format: { type: "json_schema", schema: toEnforcedSchema(schema) } };
  }
  context.reportReplaced(
    "the schema of responseFormat",
    "the model cannot be held to it; it stands in the instructions instead",
  );
  return { instruction: `${jsonAlone} It must fit this JSON schema:\n${JSON.stringify(schema)}` };
}
