import { isForcedChoice } from "../../model/model-settings.ts";
import type { ModelResponse } from "../../model/model-response.ts";
import type { Run } from "../run/run.ts";
import type { PreparedCall } from "./loop-plan.ts";

/**
 * Warns about an answer that contains calls without a name (which the provider omitted), or that lacks a call which the
 * run required.
 */
export function warnOfAnswer(run: Pick<Run, "warn">, { model, options }: PreparedCall, response: ModelResponse): void {
  const { skippedCalls: count, answeredBy = model } = response;
  const fields = { vendor: answeredBy.providerId, model: answeredBy.modelId };
  if (count !== undefined) {
    run.warn("call_skipped", "The model's answer has tool calls that name no tool. They are skipped.", {
      ...fields,
      count,
    });
  }
  if (!ignoresChoice(options, response)) return;
  const { toolChoice } = options;
  const wanted = typeof toolChoice === "object" ? `the tool ${JSON.stringify(toolChoice.tool)}` : "a tool";
  const message = `The model was told by toolChoice to call ${wanted}, and did not. Its answer is taken as it is.`;
  run.warn("tool_choice_ignored", message, fields);
}

function ignoresChoice(
  { toolChoice }: PreparedCall["options"],
  { toolCalls, skippedCalls, finishReason }: ModelResponse,
): boolean {
  // A truncated or blocked answer causes no warning: the model might have made the required call in the rest of the
  // answer.
  const isCut = finishReason === "length" || finishReason === "content_filter" || finishReason === "error";
  if (!isForcedChoice(toolChoice) || isCut || skippedCalls !== undefined) return false;
  return toolChoice === "required" ? toolCalls.length === 0 : !toolCalls.some(({ name }) => name === toolChoice.tool);
}
