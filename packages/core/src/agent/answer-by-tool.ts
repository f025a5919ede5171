import { applyGuardrails } from "../guardrail/apply-guardrails.ts";
import { getTextContent } from "../message/content.ts";
import type { ToolCallResult } from "../message/tool-call.ts";
import type { FinishReason } from "../model/model-chunk.ts";
import type { StreamChunk } from "../run/stream-chunk.ts";
import { parseToolAnswer } from "../schema/parse-structured.ts";
import type { ToolSet } from "../tool/tool-set.ts";
import type { LoopPlan } from "./loop-plan.ts";

/** Returns the first result, in the order of the calls, of a tool that ends the run and did not fail. */
export function findEndingResult(tools: ToolSet, results: readonly ToolCallResult[]): ToolCallResult | undefined {
  if (!tools.mayEndRun) return undefined;
  return results.find(({ toolName, error }) => error === undefined && tools.find(toolName)?.endsRun === true);
}

/**
 * Makes the result of a tool that ends the run its answer, as the output guardrails let it pass. It is recorded as a
 * message of the assistant too: there are vendors that refuse a history in which a user follows a tool.
 */
export async function* answerByTool<Structured>(
  { run, structured, outputGuardrails: guardrails }: LoopPlan<Structured>,
  { result }: ToolCallResult,
): AsyncGenerator<StreamChunk, FinishReason> {
  const text = await applyGuardrails(getTextContent(result), { guardrails, side: "output", context: run.context });
  run.text = text;
  if (structured !== undefined) run.structured = await parseToolAnswer(text, structured);
  if (text !== "") {
    yield { type: "text", text };
    run.messages.push({ role: "assistant", content: text });
  }
  return "stop";
}
