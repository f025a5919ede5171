import type { MessageParam, Tool, ToolChoice } from "@anthropic-ai/sdk/resources/messages";
import { TroupeError } from "@troupe/core";
import type { ModelOptions } from "@troupe/core";
import type { ToolSpec } from "@troupe/core";
import type { RequestContext } from "./request-context.ts";

/** The tools of a request in Anthropic's format, and `tool_choice`, which forces or forbids calls. */
export type Tools = { tools?: Tool[]; tool_choice?: ToolChoice };

type ToolsRequest = Pick<ModelOptions, "tools" | "toolChoice" | "parallelToolCalls"> & {
  messages: readonly MessageParam[];
  thinks: boolean;
  /** True if the caller adds tools in the vendor's own format. */
  hasMore: boolean;
};
/**
 * Converts the tools and `toolChoice` of a model call. If `tools` is empty, declares the tools that the history called,
 * and forbids tool calls, unless `hasMore` is set: the caller's tools in the vendor's format may then be called. Throws `invalid_config` for a tool whose parameters are a union
 * of schemas.
 */
export function toTools(
  { tools = [], toolChoice, parallelToolCalls, messages, thinks, hasMore }: ToolsRequest,
  context: RequestContext,
): Tools {
  if (tools.length === 0) {
    const called = calledIn(messages);
    if (called.length === 0) return {};
    const declared = called.map((name): Tool => ({ name, input_schema: { type: "object" } }));
    return { tools: declared, ...(!hasMore && { tool_choice: { type: "none" } }) };
  }
  const choice = oneAtATime(parallelToolCalls === false, toChoice(toolChoice, thinks, context));
  return { tools: tools.map((tool) => toTool(tool, context)), ...(choice !== undefined && { tool_choice: choice }) };
}

function toTool({ name, description, parameters }: ToolSpec, { model }: RequestContext): Tool {
  const { $schema: _, ...schema } = parameters;
  if (["oneOf", "anyOf", "allOf"].some((keyword) => Object.hasOwn(schema, keyword))) {
    throw new TroupeError(
      "invalid_config",
      `anthropic's ${model.modelId} takes no tool whose parameters are a choice of schemas: give those of ${name} one object, with the choice in a property.`,
    );
  }
  return { name, ...(description !== "" && { description }), input_schema: { ...schema, type: "object" } };
}

function toChoice(
  choice: ModelOptions["toolChoice"],
  thinks: boolean,
  { rules, reportOmitted }: RequestContext,
): ToolChoice | undefined {
  if (choice === "none") return { type: "none" };
  if (choice === undefined || choice === "auto") return undefined;
  if (rules.forcedTools && !thinks)
    return choice === "required" ? { type: "any" } : { type: "tool", name: choice.tool };
  reportOmitted("toolChoice", "the model cannot be made to call a tool, or not while it thinks");
  return undefined;
}

/** Disables parallel calls. The setting is part of the tool choice, whose default is `auto`. */
function oneAtATime(isAsked: boolean, choice: ToolChoice | undefined): ToolChoice | undefined {
  if (!isAsked || choice?.type === "none") return choice;
  return { ...(choice ?? { type: "auto" }), disable_parallel_tool_use: true };
}

function calledIn(messages: readonly MessageParam[]): string[] {
  const names = new Set<string>();
  for (const { content } of messages) {
    if (typeof content === "string") continue;
    for (const block of content) if (block.type === "tool_use") names.add(block.name);
  }
  return [...names];
}
