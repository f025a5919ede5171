import type { JSONOutputFormat } from "@anthropic-ai/sdk/resources/messages";
import type { ResponseFormat } from "@troupe/core";
import { isExpressible } from "./is-expressible.ts";
import type { RequestContext } from "./request-context.ts";
import { toEnforcedSchema } from "./to-enforced-schema.ts";

/**
 * The form in which a request asks for JSON: a schema that the vendor enforces, or an instruction in words. Neither for
 * text.
 */
export type Format = { format?: JSONOutputFormat; instruction?: string };

const jsonAlone = "Answer with one JSON value and nothing else: no words around it, no code fence.";

/**
 * Converts the option `responseFormat` to a schema that the vendor enforces, or to an instruction in words: for JSON
 * without a schema, which has no mode of its own, and where the schema cannot be enforced.
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
