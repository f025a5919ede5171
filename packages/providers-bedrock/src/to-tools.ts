import { TroupeError } from "@troupe/core";
import type { ModelOptions, ToolSpec } from "@troupe/core";
import { providerId } from "./options.ts";
import type { RequestContext } from "./request-context.ts";
import type { WireTool, WireToolConfig } from "./wire-types.ts";

/** The tools of a request, and the setting of Claude that allows one call at a time. */
export type Tools = { toolConfig?: WireToolConfig; toolChoiceField?: object };

type ToolsRequest = Pick<ModelOptions, "tools" | "toolChoice" | "parallelToolCalls"> & { thinks: boolean };

/**
 * Converts the tools and `toolChoice` of a model call. Bedrock cannot forbid tool calls, so no tools are sent if the
 * model may call none, or if it does not support tools. Throws `invalid_config` for a tool whose parameters are a union
 * of schemas.
 */
export function toTools(
  { tools = [], toolChoice, parallelToolCalls, thinks }: ToolsRequest,
  context: RequestContext,
): Tools {
  const { rules, reportOmitted } = context;
  if (tools.length === 0 || toolChoice === "none") return {};
  if (rules.tools === "none") {
    reportOmitted("the list of tools", "the model takes none");
    return {};
  }
  const { demanded, offered } = demandedOf(toolChoice, { tools, thinks }, context);
  const toolConfig: WireToolConfig = { tools: offered.map((tool) => toTool(tool, context)) };
  if (parallelToolCalls === false) {
    if (rules.singleCalls)
      return { toolConfig, toolChoiceField: { ...toClaude(demanded), disable_parallel_tool_use: true } };
    reportOmitted("parallelToolCalls", "the model has no such setting");
  }
  return { toolConfig: { ...toolConfig, ...(demanded !== undefined && { toolChoice: demanded }) } };
}

type Demanded = NonNullable<WireToolConfig["toolChoice"]>;
type Offer = { tools: readonly ToolSpec[]; thinks: boolean };

/**
 * Returns the tool calls that the model must make, and the tools that it may call. If one named tool must be called,
 * and the model has no setting that names a tool, the model gets only this tool.
 */
function demandedOf(
  choice: ModelOptions["toolChoice"],
  { tools, thinks }: Offer,
  { rules, reportOmitted }: RequestContext,
): { demanded?: Demanded; offered: readonly ToolSpec[] } {
  if (choice === undefined || choice === "auto" || choice === "none") return { offered: tools };
  if (rules.toolChoice === "none" || thinks) {
    reportOmitted("toolChoice", "the model cannot be made to call a tool, or not while it thinks");
    return { offered: tools };
  }
  if (choice === "required") return { demanded: { any: {} }, offered: tools };
  if (rules.toolChoice === "named") return { demanded: { tool: { name: choice.tool } }, offered: tools };
  return { demanded: { any: {} }, offered: tools.filter(({ name }) => name === choice.tool) };
}

/**
 * Returns a tool choice in the format of Claude. Claude's setting that allows one call at a time is part of the choice.
 */
function toClaude(demanded: Demanded | undefined): object {
  if (demanded === undefined) return { type: "auto" };
  return "any" in demanded ? { type: "any" } : { type: "tool", name: demanded.tool.name };
}

function toTool({ name, description, parameters }: ToolSpec, { model, rules }: RequestContext): WireTool {
  if (["oneOf", "anyOf", "allOf"].some((keyword) => Object.hasOwn(parameters, keyword))) {
    throw new TroupeError(
      "invalid_config",
      `${providerId}'s ${model.modelId} takes no tool whose parameters are a choice of schemas: give those of ${name} one object, with the choice in a property.`,
    );
  }
  const { $schema: _, ...schema } = parameters;
  const json = { ...(rules.plainSchemas ? plainSchema(schema) : schema), type: "object" };
  return { toolSpec: { name, ...(description !== "" && { description }), inputSchema: { json } } };
}

/** Returns a schema with the keywords that Nova accepts at its top. Definitions stay, because references need them. */
function plainSchema({ properties = {}, required, $defs }: Record<string, unknown>): Record<string, unknown> {
  return { properties, ...(required !== undefined && { required }), ...($defs !== undefined && { $defs }) };
}
