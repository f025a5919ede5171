import { getTextContent } from "@troupe/core";
import type { ChatMessage } from "@troupe/core";
import type { ModelCallOptions } from "@troupe/core/provider";
import { withVendorFields } from "@troupe/core/provider";
import { addCachePoints } from "./cache-points.ts";
import { providerId } from "./options.ts";
import type { RequestContext } from "./request-context.ts";
import { toText } from "./to-content.ts";
import { toFormat } from "./to-format.ts";
import type { Format } from "./to-format.ts";
import { toMessages } from "./to-messages.ts";
import { toThinking } from "./to-thinking.ts";
import type { Thinking } from "./to-thinking.ts";
import { toTools } from "./to-tools.ts";
import type { WireInference, WireMessage, WireRequest } from "./wire-types.ts";

/**
 * Converts a model call to the body of a request to Converse. Settings that the model does not accept are omitted and
 * reported. Throws `unsupported_media_type` for a message part that the model does not accept.
 */
export function toRequest(
  messages: readonly ChatMessage[],
  options: ModelCallOptions,
  context: RequestContext,
): WireRequest {
  const { rules, promptCache } = context;
  const hasTools = offersTools(options, context);
  const { textFormat, instruction = "" } = toFormat(options.responseFormat, context);
  const spoken = toMessages(messages, context, hasTools);
  const thinking = toThinking(options, spoken, context);
  const thinks = thinking.thinks === true;
  const { toolConfig, toolChoiceField } = toTools({ ...options, thinks }, context);
  const fields = { ...thinking.fields, ...(toolChoiceField !== undefined && { tool_choice: toolChoiceField }) };
  const own: WireRequest = {
    ...withSystem(spoken, systemTexts(messages, instruction), rules.systemPrompt),
    ...toInference(options, thinking, context),
    ...(toolConfig !== undefined && { toolConfig }),
    ...toOutputConfig(thinking, textFormat),
    ...(Object.keys(fields).length > 0 && { additionalModelRequestFields: fields }),
  };
  if (options.seed !== undefined) context.reportOmitted("seed", "the vendor has no such setting");
  const body = withVendorFields(own, options.vendor, providerId);
  const isSingle = spoken.length === 1 && body.toolConfig === undefined && options.cacheKey === undefined;
  addCachePoints(body, { promptCache, rules, isSingle });
  return body;
}

/**
 * Returns true if a request has tools: the tools of the call, or tools that the caller adds in Bedrock's own format.
 */
function offersTools({ tools = [], toolChoice, vendor }: ModelCallOptions, { rules }: RequestContext): boolean {
  if (vendor?.[providerId]?.["toolConfig"] !== undefined) return true;
  return tools.length > 0 && toolChoice !== "none" && rules.tools !== "none";
}

/**
 * Returns the texts of the system prompt. The first text has the first system message and the format instruction, which
 * are the same in each run.
 */
function systemTexts(messages: readonly ChatMessage[], instruction: string): string[] {
  const said = messages.flatMap(({ role, content }) => (role === "system" ? [getTextContent(content)] : []));
  const [first = "", ...others] = said.filter((text) => text.trim() !== "");
  return [joined([first, instruction]), joined(others)].filter((text) => text !== "");
}

function joined(texts: readonly string[]): string {
  return texts.filter((text) => text !== "").join("\n\n");
}

/**
 * Returns the messages and the system prompt. For a model without system prompts, it becomes a part of the first
 * message.
 */
function withSystem(
  messages: WireMessage[],
  texts: readonly string[],
  isTaken: boolean,
): Pick<WireRequest, "messages" | "system"> {
  const system = texts.flatMap(toText);
  if (system.length === 0) return { messages };
  if (isTaken) return { messages, system };
  const [first, ...rest] = messages;
  return { messages: first === undefined ? [] : [{ ...first, content: [...system, ...first.content] }, ...rest] };
}

function toInference(
  options: ModelCallOptions,
  { maxTokens, thinks = false, isFree = false }: Thinking,
  context: RequestContext,
): Pick<WireRequest, "inferenceConfig"> {
  const inferenceConfig: WireInference = {
    ...(maxTokens !== undefined && { maxTokens }),
    ...toSampling(options, isFree || (thinks && context.rules.thinking !== "effort"), context),
    ...toStop(options.stop, context),
  };
  return Object.keys(inferenceConfig).length > 0 ? { inferenceConfig } : {};
}

function toSampling(
  { temperature, topP }: ModelCallOptions,
  excludes: boolean,
  { rules, reportOmitted }: RequestContext,
): Pick<WireInference, "temperature" | "topP"> {
  const given = { ...(temperature !== undefined && { temperature }), ...(topP !== undefined && { topP }) };
  const count = Object.keys(given).length;
  if (count === 0) return {};
  if (excludes || rules.sampling === "none") {
    reportOmitted("temperature or topP", excludes ? "they do not go with thinking" : "the model takes neither");
    return {};
  }
  if (rules.sampling === "both" || count === 1) return given;
  reportOmitted("topP", "the model takes it only without a temperature");
  return { ...(temperature !== undefined && { temperature }) };
}

function toStop(stop: readonly string[] = [], { reportOmitted }: RequestContext): Pick<WireInference, "stopSequences"> {
  const said = stop.filter((each) => each.trim() !== "");
  if (said.length < stop.length) reportOmitted("a stop sequence of blanks", "the vendor refuses it");
  return said.length > 0 ? { stopSequences: said } : {};
}

function toOutputConfig({ effort }: Thinking, textFormat: Format["textFormat"]): Pick<WireRequest, "outputConfig"> {
  if (effort === undefined && textFormat === undefined) return {};
  return { outputConfig: { ...(effort !== undefined && { effort }), ...(textFormat !== undefined && { textFormat }) } };
}
