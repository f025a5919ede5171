import { getTextContent, TroupeError } from "@troupe/core";
import type { ModelOptions, ReasoningConfig, ToolChoice } from "@troupe/core";
import { PartReader, withVendorFields } from "@troupe/core/provider";
import type { ModelMessage, ReportRequestOmission, RequestContext } from "@troupe/core/provider";
import { toTurns } from "./to-turns.ts";
import type { WireRequest, WireTurn } from "./wire-types.ts";

/** Converts a model call to a request. Settings that the vendor does not have are left out and reported. */
export function toRequest(
  messages: readonly ModelMessage[],
  options: ModelOptions,
  context: RequestContext<undefined>,
): WireRequest {
  const { model, reportOmitted } = context;
  const turns = toTurns(messages, { model, parts: new PartReader(messages, reportOmitted, context) });
  reportUntaken(options, reportOmitted);
  const request: WireRequest = {
    model: model.modelId,
    turns,
    brief: toBrief(messages),
    ...toTools(options),
    reason: toReason(options.reasoning, turns, reportOmitted),
    shape: toShape(options.responseFormat),
    limit: options.maxTokens,
    heat: options.temperature,
    until: options.stop?.filter((each) => each !== ""),
  };
  return withVendorFields(request, options.vendor, model.providerId);
}

function toBrief(messages: readonly ModelMessage[]): string | undefined {
  const said = messages.flatMap(({ role, content }) => (role === "system" ? [getTextContent(content)] : []));
  return said.filter((text) => text.trim() !== "").join("\n\n") || undefined;
}

function toTools({ tools = [], toolChoice }: ModelOptions): Pick<WireRequest, "tools" | "use"> {
  if (tools.length === 0) return {};
  return {
    tools: tools.map(({ name, description, parameters }) => ({ name, about: description, schema: parameters })),
    use: toolChoice === undefined ? undefined : toUse(toolChoice, tools),
  };
}

function reportUntaken({ topP, seed, parallelToolCalls }: ModelOptions, reportOmitted: ReportRequestOmission): void {
  const untaken = { topP, seed, parallelToolCalls };
  for (const [name, value] of Object.entries(untaken))
    if (value !== undefined) reportOmitted(name, "the vendor has no such setting");
}

function toUse(choice: ToolChoice, tools: readonly { name: string }[]): NonNullable<WireRequest["use"]> {
  if (choice === "required") return "must";
  if (typeof choice === "string") return choice;
  if (tools.some(({ name }) => name === choice.tool)) return { name: choice.tool };
  throw new TroupeError("invalid_request", `toolChoice names no tool of this call: ${choice.tool}.`);
}

/** The vendor reasons only where each call since the user's last turn has its sealed reasoning. */
function toReason(
  reasoning: ReasoningConfig | undefined,
  turns: readonly WireTurn[],
  reportOmitted: ReportRequestOmission,
): WireRequest["reason"] {
  if (reasoning?.enabled !== true || reasoning.effort === "none") return undefined;
  if (reasoning.budgetTokens !== undefined) reportOmitted("reasoning.budgetTokens", "the vendor has no budgets");
  const loop = turns.slice(turns.findLastIndex(({ by }) => by === "user") + 1);
  const isLost = loop.some((turn) => turn.by === "model" && !turn.parts.some((part) => "seal" in part));
  if (isLost) reportOmitted("reasoning", "the reasoning that led to the calls of this turn is gone");
  if (isLost) return undefined;
  return reasoning.effort === "high" || reasoning.effort === "xhigh" ? "high" : "low";
}

function toShape(format: ModelOptions["responseFormat"]): object | undefined {
  if (format === undefined || format === "text") return undefined;
  return format === "json" ? {} : format.schema;
}
