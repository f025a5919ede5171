import { withVendorFields } from "@troupe/core/provider";
import { toAnswerFormat } from "../answer-format.ts";
import type { AnswerFormat } from "../answer-format.ts";
import type { ModelCall } from "../model-call.ts";
import { fitsStrict } from "../fits-strict.ts";
import { reportReasoning, toEffort } from "../to-effort.ts";
import { toInput } from "./to-input.ts";

/**
 * Converts a model call to the body of a Responses request that asks the vendor to store nothing. Settings that the
 * model does not accept are omitted and logged.
 */
export function toResponsesRequest(call: ModelCall): object {
  const { modelId, options, rules, stream } = call;
  const format = toAnswerFormat(options.responseFormat, call.rules);
  const { input, ...rest } = toInput(call);
  const { maxTokens, cacheKey } = options;
  if (options.stop !== undefined) call.reportOmitted("stop", "Responses know no stop words");
  if (options.seed !== undefined) call.reportOmitted("seed", "Responses have no such setting");
  const body = {
    model: modelId,
    store: false,
    ...rest,
    input: format.instruction === undefined ? input : [...input, { role: "developer", content: format.instruction }],
    ...toTools(call),
    ...toReasoning(call),
    ...toText(format),
    ...(maxTokens !== undefined && { max_output_tokens: maxTokens }),
    ...toSampling(call),
    ...(cacheKey !== undefined && rules.cacheKey && { prompt_cache_key: cacheKey }),
  };
  return { ...withVendorFields(body, options.vendor, call.providerId), ...(stream && { stream: true }) };
}

function toTools({ options: { tools = [], toolChoice, parallelToolCalls }, rules }: ModelCall): object {
  if (tools.length === 0) return {};
  return {
    tools: tools.map(({ name, description, parameters }) => {
      const strict = rules.strict && fitsStrict(parameters);
      return { type: "function", name, description, parameters, strict };
    }),
    ...(parallelToolCalls !== undefined && { parallel_tool_calls: parallelToolCalls }),
    ...(toolChoice !== undefined && {
      tool_choice: typeof toolChoice === "string" ? toolChoice : { type: "function", name: toolChoice.tool },
    }),
  };
}

function toReasoning(call: ModelCall): object {
  const { options, rules, reportOmitted } = call;
  const { reasoning } = options;
  if (!rules.reasoning) {
    if (reasoning?.enabled === true) reportOmitted("reasoning", "the model does not reason");
    return {};
  }
  if (reasoning?.enabled !== true) {
    reportReasoning(call);
    return encrypted;
  }
  const effort = toEffort(call);
  const settings = { ...(effort !== undefined && { effort }), ...(rules.reasoningSummary && { summary: "auto" }) };
  return { ...(Object.keys(settings).length > 0 && { reasoning: settings }), ...encrypted };
}

/** The vendor stores nothing, so it must send its encrypted reasoning for the next model call. */
const encrypted = { include: ["reasoning.encrypted_content"] };

function toText({ type, schema }: AnswerFormat): object {
  return type === "text" ? {} : { text: { format: { type, ...schema } } };
}

function toSampling({ options: { temperature, topP }, rules, reportOmitted }: ModelCall): object {
  if (rules.sampling)
    return { ...(temperature !== undefined && { temperature }), ...(topP !== undefined && { top_p: topP }) };
  if (temperature !== undefined) reportOmitted("temperature", "a model that reasons takes none");
  if (topP !== undefined) reportOmitted("topP", "a model that reasons takes none");
  return {};
}
