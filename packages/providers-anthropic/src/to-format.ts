import type { JSONOutputFormat } from "@anthropic-ai/sdk/resources/messages";
import type { ResponseFormat } from "@troupe/core";
import { isExpressible } from "./is-expressible.ts";
import type { RequestContext } from "./request-context.ts";

/** The format of the answer: a schema that the vendor enforces, or an instruction. */
export type Format = { format?: JSONOutputFormat; instruction?: string };

const jsonAlone = "Answer with one JSON value and nothing else: no words around it, no code fence.";

/** Converts `responseFormat`. The vendor has no mode for JSON without a schema. */
export async function toFormat(wanted: ResponseFormat | undefined, context: RequestContext): Promise<Format> {
  if (wanted === undefined || wanted === "text") return {};
  if (wanted === "json") return { instruction: jsonAlone };
  const { schema } = wanted;
  if (context.rules.structuredOutput && isExpressible(schema)) {
    const { transformJSONSchema } = await import("@anthropic-ai/sdk/lib/transform-json-schema");
    return { format: { type: "json_schema", schema: transformJSONSchema(schema) } };
  }
  context.drop("the schema of responseFormat", "the model cannot be held to it; it stands in the instructions instead");
  return { instruction: `${jsonAlone} It must fit this JSON schema:\n${JSON.stringify(schema)}` };
}
