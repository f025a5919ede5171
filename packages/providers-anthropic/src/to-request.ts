import type { MessageCreateParamsBase } from "@anthropic-ai/sdk/resources/messages/messages";
import { getTextContent } from "@troupe/core";
import type { ChatMessage } from "@troupe/core";
import type { ModelCallOptions } from "@troupe/core/provider";
import { withVendorFields } from "@troupe/core/provider";
import { addCacheMarks } from "./cache-marks.ts";
import type { RequestContext } from "./request-context.ts";
import { toFormat } from "./to-format.ts";
import { toText } from "./to-content.ts";
import { toMessages } from "./to-messages.ts";
import { alwaysThinks, toThinking } from "./to-thinking.ts";
import { toTools } from "./to-tools.ts";

/**
 * The body of a Messages request, and the API version for its header `anthropic-version`. The version is older if the
 * body sets `temperature` or `top_p`.
 */
export type Request = { body: RequestBody; version: string };

/** The body of a request, with fields for older models that the library's types no longer have. */
type RequestBody = MessageCreateParamsBase & { temperature?: number; top_p?: number };

/** The version of Anthropic's API for which requests are written. */
export const defaultVersion = "2026-10-21";
/** The last version of Anthropic's API with the fields that only older models have. */
const versionWithSampling = "2023-06-01";
const elderFields = ["temperature", "top_p", "top_k"];

type OutputConfig = { [Field in "effort" | "format"]: NonNullable<RequestBody["output_config"]>[Field] | undefined };
type Sampling = Pick<RequestBody, "temperature" | "top_p">;

/**
 * Converts a model call to a Messages request. Settings that the model does not accept are omitted and logged. Throws
 * `unsupported_media_type` for a message part that the model does not accept.
 */
export function toRequest(
  messages: readonly ChatMessage[],
  options: ModelCallOptions,
  context: RequestContext,
): Request {
  const { promptCache, model } = context;
  const given = options.vendor?.[model.providerId];
  const { format, instruction } = toFormat(options.responseFormat, context);
  const spoken = toMessages(messages, context);
  const { thinking, effort, maxTokens } = toThinking(options, spoken, context);
  const thinks = thinking !== undefined;
  const own: RequestBody = {
    model: model.modelId,
    max_tokens: maxTokens,
    ...toSystem(messages, instruction, promptCache !== false),
    messages: spoken,
    ...toTools({ ...options, messages: spoken, thinks, hasMore: given?.["tools"] !== undefined }, context),
    ...(thinks && { thinking }),
    ...toOutputConfig({ effort, format }),
    ...toStop(options.stop, context),
    ...toSampling(options, thinks, context),
  };
  if (options.seed !== undefined) context.reportOmitted("seed", "the vendor has no such setting");
  const body = withVendorFields(own, options.vendor, model.providerId);
  const isSingle = spoken.length === 1 && body.tools === undefined && options.cacheKey === undefined;
  const mayThink = alwaysThinks(context.rules) || isThinkingAsked(body);
  if (promptCache !== false) addCacheMarks(body, promptCache, { given, isSingle, mayThink });
  return { body, version: elderFields.some((field) => field in body) ? versionWithSampling : defaultVersion };
}

function isThinkingAsked({ thinking }: RequestBody): boolean {
  return thinking !== undefined && thinking.type !== "disabled";
}

function toOutputConfig({ effort, format }: OutputConfig): Pick<RequestBody, "output_config"> {
  if (effort === undefined && format === undefined) return {};
  return { output_config: { ...(effort !== undefined && { effort }), ...(format !== undefined && { format }) } };
}

/**
 * Returns the system prompt. If it is split into blocks, the first block has the first system message and the format
 * instruction, which are the same in each run.
 */
function toSystem(messages: readonly ChatMessage[], instruction = "", inBlocks: boolean): Pick<RequestBody, "system"> {
  const said = messages.flatMap(({ role, content }) => (role === "system" ? [getTextContent(content)] : []));
  const [first = "", ...others] = said.filter((text) => text.trim() !== "");
  const texts = [joined([first, instruction]), joined(others)];
  const system = inBlocks ? texts.flatMap(toText) : joined(texts);
  return system.length === 0 ? {} : { system };
}

function joined(texts: readonly string[]): string {
  return texts.filter((text) => text !== "").join("\n\n");
}

function toSampling(
  { temperature, topP }: ModelCallOptions,
  thinks: boolean,
  { rules, reportOmitted }: RequestContext,
): Sampling {
  if (temperature === undefined && topP === undefined) return {};
  if (thinks || !rules.sampling) {
    reportOmitted("temperature or topP", thinks ? "they do not go with thinking" : "the model takes neither");
    return {};
  }
  if (temperature === undefined) return { ...(topP !== undefined && { top_p: topP }) };
  if (topP !== undefined) reportOmitted("topP", "the model takes it only without a temperature");
  return { temperature };
}

function toStop(stop: readonly string[] = [], { reportOmitted }: RequestContext): Pick<RequestBody, "stop_sequences"> {
  const said = stop.filter((each) => each.trim() !== "");
  if (said.length < stop.length) reportOmitted("a stop sequence of blanks", "the vendor refuses it");
  return said.length > 0 ? { stop_sequences: said } : {};
}
