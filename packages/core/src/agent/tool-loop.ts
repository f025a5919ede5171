import type { ChatMessage } from "../message/message.ts";
import type { ModelResponse } from "../model/model-response.ts";
import type { FinishReason, StreamChunk } from "../model/stream-chunk.ts";
import { askModel } from "./ask-model.ts";
import type { LoopPlan } from "./loop-plan.ts";
import { runTools } from "./run-tools.ts";
import { structuredAnswer } from "./structured-answer.ts";

/**
 * Calls the model, runs the tools that it asks for, and repeats until it answers. When it may ask for no more tools, it is
 * called once more without them, so that the user gets an answer.
 */
export async function* toolLoop<Structured>(plan: LoopPlan<Structured>): AsyncGenerator<StreamChunk, FinishReason> {
  const messages = [...plan.messages];
  for (let roundtrip = 0; ; roundtrip++) {
    const mayCallTools = roundtrip < plan.maxToolRoundtrips;
    const response = yield* askModel(plan, { messages, mayCallTools });
    if (!mayCallTools || response.toolCalls.length === 0) {
      const finishReason = yield* finishAnswer(plan, messages, response);
      return mayCallTools || roundtrip === 0 ? finishReason : "tool_roundtrips";
    }
    messages.push(...(yield* runTools(plan, response, roundtrip)));
  }
}

async function* finishAnswer<Structured>(
  plan: LoopPlan<Structured>,
  messages: readonly ChatMessage[],
  response: ModelResponse,
): AsyncGenerator<StreamChunk, FinishReason> {
  const { record, structured } = plan;
  const isPlain = structured === undefined;
  const reason = isPlain ? response.finishReason : yield* structuredAnswer({ ...plan, structured }, messages, response);
  if (record.text !== "") record.messages.push({ role: "assistant", content: record.text });
  return reason;
}
