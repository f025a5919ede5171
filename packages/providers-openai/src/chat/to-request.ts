import { withVendorFields } from "@troupe/core/provider";
import { toAnswerFormat } from "../answer-format.ts";
import type { AnswerFormat } from "../answer-format.ts";
import type { ModelCall } from "../model-call.ts";
import { fitsStrict } from "../fits-strict.ts";
import type { ModelRules } from "../model-rules.ts";
import { reportReasoning, toEffort } from "../to-effort.ts";
import { toMessages } from "./to-messages.ts";

/**
 * Converts a model call to the body of a Chat Completions request, with only the fields that the call sets. Settings
 * that the model does not accept are omitted and logged.
 */
export function toChatRequest(call: ModelCall): object {
  const { modelId, options, rules, stream } = call;
  const { maxTokens, seed, cacheKey } = options;
  const format = toAnswerFormat(options.responseFormat, rules);
  const body = {
    model: modelId,
    messages: toMessages(call, format.instruction),
    ...(stream && { stream_options: { include_usage: true } }),
    ...toTools(call),
    ...toReasoning(call),
    ...toResponseFormat(format),
    ...(maxTokens !== undefined && { [rules.maxTokensField]: maxTokens }),
    ...toSampling(call),
    ...(seed !== undefined && { [rules.seedField]: seed }),
    ...(cacheKey !== undefined && rules.cacheKey && { prompt_cache_key: cacheKey }),
  };
  return { ...withVendorFields(body, options.vendor, call.providerId), ...(stream && { stream: true }) };
}

function toTools({ options: { tools = [], toolChoice, parallelToolCalls }, rules }: ModelCall): object {
  if (tools.length === 0) return {};
  const choice = toToolChoice(toolChoice, rules);
  const offered = choice.only === undefined ? tools : tools.filter(({ name }) => name === choice.only);
  return {
    tools: offered.map(({ name, description, parameters }) => {
      const strict = rules.strict && fitsStrict(parameters) && { strict: true };
      return { type: "function", function: { name, description, parameters, ...strict } };
    }),
    ...(parallelToolCalls !== undefined && { parallel_tool_calls: parallelToolCalls }),
    ...(choice.sent !== undefined && { tool_choice: choice.sent }),
  };
}

/**
 * A tool choice as it is sent. If the server does not understand a choice that names a tool, `only` is that tool, and
 * no other tool is sent.
 */
type SentChoice = { readonly sent?: string | object; readonly only?: string };

function toToolChoice(wanted: ModelCall["options"]["toolChoice"], { toolChoice }: ModelRules): SentChoice {
  if (wanted === undefined) return {};
  const required = toolChoice === "any" ? "any" : "required";
  if (typeof wanted === "string") return { sent: wanted === "required" ? required : wanted };
  const { tool: only } = wanted;
  return toolChoice === "named" ? { sent: { type: "function", function: { name: only } } } : { sent: required, only };
}

function toReasoning(call: ModelCall): object {
  const { options, rules, reportOmitted } = call;
  const { reasoning, tools = [] } = options;
  if (reasoning?.enabled !== true) {
    reportReasoning(call);
    return {};
  }
  if (!rules.reasoning) {
    reportOmitted("reasoning", "the model does not reason");
    return {};
  }
  if (tools.length > 0 && !rules.reasoningWithTools) {
    reportOmitted("reasoning", "through Chat Completions this model reasons as told only without tools: use Responses");
    return {};
  }
  return reasoningFields[rules.reasoningStyle](toEffort(call));
}

const reasoningFields = {
  effort: (effort) => (effort === undefined ? {} : { reasoning_effort: effort }),
  openrouter: (effort) => ({ reasoning: { enabled: true, ...(effort !== undefined && { effort }) } }),
  // Without `reasoning_format`, Groq sends the model's thinking within tags in the text.
  groq: (effort) => ({ reasoning_format: "parsed", ...(effort !== undefined && { reasoning_effort: effort }) }),
} satisfies Record<ModelRules["reasoningStyle"], (effort: string | undefined) => object>;

function toResponseFormat({ type, schema }: AnswerFormat): object {
  if (type === "text") return {};
  return { response_format: { type, ...(schema !== undefined && { json_schema: toJsonSchema(schema) }) } };
}

function toJsonSchema({ name, schema, strict }: NonNullable<AnswerFormat["schema"]>): object {
  return { name, schema, ...(strict && { strict }) };
}

function toSampling({ options: { temperature, topP, stop }, rules, reportOmitted }: ModelCall): object {
  if (temperature === undefined && topP === undefined && stop === undefined) return {};
  const fields = [
    { option: "temperature", field: "temperature", value: temperature, isTaken: rules.sampling },
    { option: "topP", field: "top_p", value: topP, isTaken: rules.sampling },
    { option: "stop", field: "stop", value: stop, isTaken: rules.stop },
  ].filter(({ value }) => value !== undefined);
  for (const { option, isTaken } of fields) if (!isTaken) reportOmitted(option, "a model that reasons takes none");
  return Object.fromEntries(fields.filter(({ isTaken }) => isTaken).map(({ field, value }) => [field, value]));
}
