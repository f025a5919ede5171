import type { FunctionDeclaration } from "@google/genai/web";
import type { ModelOptions } from "@troupe/core";
import type { ToolSpec } from "@troupe/core/adapter";
import { toSchema } from "./to-schema.ts";

/** The tools of a request, and whether the model may or must call one. */
export type Tools = {
  tools?: { functionDeclarations: FunctionDeclaration[] }[];
  toolConfig?: { functionCallingConfig: { mode: string } };
};

/** Turns tools into Gemini's. */
export function toTools({ tools = [], toolChoice }: Pick<ModelOptions, "tools" | "toolChoice">): Tools {
  if (tools.length === 0) return {};
  const mode = toolChoice === "required" ? "ANY" : "NONE";
  const isFree = toolChoice === undefined || toolChoice === "auto";
  return {
    tools: [{ functionDeclarations: tools.map(toDeclaration) }],
    ...(!isFree && { toolConfig: { functionCallingConfig: { mode } } }),
  };
}

function toDeclaration({ name, description, parameters }: ToolSpec): FunctionDeclaration {
  const schema = toSchema(parameters);
  // A schema that says no more than "an object" is none to this vendor.
  const isTold = Object.keys(schema).some((keyword) => keyword !== "type");
  return { name, ...(description !== "" && { description }), ...(isTold && { parametersJsonSchema: schema }) };
}
