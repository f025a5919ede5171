import { applyGuardrails } from "../guardrail/apply-guardrails.ts";
import { getTextContent } from "../../base/message/content.ts";
import type { ToolCallResult } from "../../base/message/tool-call.ts";
import type { FinishReason } from "../../model/model-chunk.ts";
import type { StreamChunk } from "../run/stream-chunk.ts";
import { parseToolAnswer } from "../../schema/parse-structured.ts";
import type { ToolSet } from "../tool/tool-set.ts";
import type { LoopPlan } from "./loop-plan.ts";

/**
 * Returns the first successful result of a tool that ends the run, in the order of the calls; `undefined` if there is
 * none.
 */
export function findEndingResult(tools: ToolSet, results: readonly ToolCallResult[]): ToolCallResult | undefined {
  if (!tools.mayEndRun) return undefined;
  return results.find(({ toolName, error }) => error === undefined && tools.find(toolName)?.endsRun === true);
}

/**
 * Turns the result of a tool that ends the run into the run's answer, after the output guardrails. The answer is also
 * recorded as an assistant message, because some vendors reject a history in which a user message follows a tool
 * message.
 */
export async function* answerByTool<Structured>(
  plan: LoopPlan<Structured>,
  { result }: ToolCallResult,
): AsyncGenerator<StreamChunk, FinishReason> {
  const { run, structured } = plan;
  const text = await guardAnswer(plan, getTextContent(result));
  run.text = text;
  if (structured !== undefined) run.structured = await parseToolAnswer(text, structured);
  if (text !== "") {
    yield { type: "text", text };
    run.messages.push({ role: "assistant", content: text });
  }
  return "stop";
}

/**
 * Returns a whole answer after the output guardrails have checked it. In a durable run they check an answer only once,
 * even over several attempts.
 */
export async function guardAnswer({ run, outputGuardrails: guardrails }: LoopPlan, answer: string): Promise<string> {
  if (guardrails.length === 0) return answer;
  const key = `g/${hashOf(answer)}`;
  return await run.step(key, "check", () =>
    applyGuardrails(answer, { guardrails, side: "output", context: run.context }),
  );
}

function hashOf(text: string): string {
  return process.getBuiltinModule("node:crypto").hash("sha256", text);
}
