import type { ChatMessage, ModelOptions } from "@troupe/core";
import { nearestReasoningEffort, withVendorFields } from "@troupe/core/provider";
import { providerId } from "./options.ts";
import type { RequestContext } from "./request-context.ts";
import { toFormat } from "./to-format.ts";
import { toMessages } from "./to-messages.ts";
import { toTools } from "./to-tools.ts";
import type { WireMessage, WireRequest, WireSettings } from "./wire-types.ts";

/**
 * Converts a model call to the body of Ollama's chat request. Settings that the model does not support are omitted and
 * reported. Throws `unsupported_media_type` if the user's last message has a part that the server never accepts: audio,
 * a URL or a binary file.
 */
export function toRequest(
  messages: readonly ChatMessage[],
  options: ModelOptions,
  context: RequestContext,
): WireRequest {
  const tools = toTools(options, context);
  const { format, instruction } = toFormat(options.responseFormat, tools.length > 0, context);
  const think = toThink(options.reasoning, context);
  const settings = toSettings(options, context);
  const body: WireRequest = {
    model: context.model.modelId,
    messages: withInstruction(toMessages(messages, context), instruction),
    ...(tools.length > 0 && { tools }),
    ...(format !== undefined && { format }),
    ...(think !== undefined && { think }),
    ...(Object.keys(settings).length > 0 && { options: settings }),
  };
  return withVendorFields(body, options.vendor, providerId);
}

/** Adds the instruction for the answer's format to the first system message, because many models follow only one. */
function withInstruction(messages: WireMessage[], instruction: string | undefined): WireMessage[] {
  if (instruction === undefined) return messages;
  const [first, ...rest] = messages;
  if (first?.role !== "system") return [{ role: "system", content: instruction }, ...messages];
  return [{ ...first, content: `${first.content}\n\n${instruction}` }, ...rest];
}

type ThinkContext = Pick<RequestContext, "rules" | "reportOmitted">;

/**
 * Returns `false`, which disables thinking. Logs a warning that models with thinking levels, like gpt-oss, ignore it.
 */
function withoutThinking(enabled: boolean, { rules, reportOmitted }: ThinkContext): false {
  if (rules.thinking === "levels")
    reportOmitted(enabled ? "reasoning.effort none" : "reasoning.enabled false", "the model always thinks");
  return false;
}

/** Converts the option `reasoning` to Ollama's setting `think`. Models that can think do so unless it is disabled. */
function toThink(reasoning: ModelOptions["reasoning"], { rules, reportOmitted }: ThinkContext): WireRequest["think"] {
  if (reasoning === undefined) return undefined;
  const { enabled, effort, budgetTokens } = reasoning;
  if (rules.thinking === "none") {
    if (enabled) reportOmitted("reasoning", "the model does not think");
    return undefined;
  }
  if (!enabled || effort === "none") return withoutThinking(enabled, { rules, reportOmitted });
  if (budgetTokens !== undefined) reportOmitted("reasoning.budgetTokens", "the server takes no such limit");
  if (effort === undefined) return true;
  if (rules.thinking === "levels") return nearestReasoningEffort(effort, levels) ?? true;
  reportOmitted("reasoning.effort", "the model can be told to think, but not how much");
  return true;
}

const levels = ["low", "medium", "high"] as const;

function toSettings({ temperature, topP, stop, seed, maxTokens }: ModelOptions, context: RequestContext): WireSettings {
  const { contextLength, reportOmitted } = context;
  const said = stop?.filter((each) => each !== "");
  if (said?.length !== stop?.length)
    reportOmitted("a stop sequence of nothing", "it would end every answer before it begins");
  const settings = { temperature, top_p: topP, stop: said, seed, num_predict: maxTokens, num_ctx: contextLength };
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
}
