import type { GenerateContentConfig } from "@google/genai/web";
import type { ModelOptions } from "@troupe/core";
import type { RequestContext } from "./request-context.ts";
import { toSchema } from "./to-schema.ts";

/** The form of the answer: as settings that the vendor keeps to, or as words among the instructions. */
export type Format = {
  settings: Pick<GenerateContentConfig, "responseMimeType" | "responseJsonSchema">;
  instruction?: string;
};

const jsonAlone = "Answer with one JSON value and nothing else: no words around it, no code fence.";

/** Turns `responseFormat` into what the model takes. */
export function toFormat(
  { responseFormat = "text", tools = [] }: Pick<ModelOptions, "responseFormat" | "tools">,
  { rules, drop }: RequestContext,
): Format {
  if (responseFormat === "text") return { settings: {} };
  const schema = responseFormat === "json" ? undefined : responseFormat.schema;
  if (tools.length > 0 && !rules.formatWithTools) {
    drop("responseFormat", "the model does not take it together with tools; it stands in the instructions instead");
    const words = schema === undefined ? "" : ` It must fit this JSON schema:\n${JSON.stringify(schema)}`;
    return { settings: {}, instruction: `When no tool is to be called: ${jsonAlone}${words}` };
  }
  const held = schema === undefined ? {} : { responseJsonSchema: toSchema(schema) };
  return { settings: { responseMimeType: "application/json", ...held } };
}
