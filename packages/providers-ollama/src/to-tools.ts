import { TroupeError } from "@troupe/core";
import type { ModelOptions } from "@troupe/core";
import type { ToolSpec } from "@troupe/core";
import { fitSchema } from "./fit-schema.ts";
import { providerId } from "./options.ts";
import type { RequestContext } from "./request-context.ts";
import type { WireTool } from "./wire-types.ts";

/**
 * Converts the tools of a model call. The server has no tool choice, so no tools are sent if the model may call none.
 * For a model without tools they are omitted too, and this is logged. Throws `invalid_config` for a tool whose
 * parameters are a union of schemas.
 */
export function toTools(
  { tools = [], toolChoice, parallelToolCalls }: ModelOptions,
  context: RequestContext,
): WireTool[] {
  const { rules, reportOmitted } = context;
  if (tools.length === 0 || toolChoice === "none") return [];
  if (toolChoice !== undefined && toolChoice !== "auto")
    reportOmitted("toolChoice", "the server cannot make a model call a tool");
  if (parallelToolCalls === false) reportOmitted("parallelToolCalls", "the server has no such setting");
  if (rules.tools) return tools.map((tool) => toTool(tool, context));
  reportOmitted("the list of tools", "the model takes none");
  return [];
}

function toTool({ name, description, parameters }: ToolSpec, { model: { modelId } }: RequestContext): WireTool {
  const { anyOf, properties = {}, ...fitted } = fitSchema(parameters);
  if (anyOf !== undefined) {
    throw new TroupeError(
      "invalid_config",
      `${providerId}'s ${modelId} takes no tool whose parameters are a choice of schemas: give those of ${name} one object, with the choice in a property.`,
    );
  }
  return { type: "function", function: { name, description, parameters: { ...fitted, type: "object", properties } } };
}
