import type { ModelResponse } from "../model/model-response.ts";
import type { ModelMessage } from "../model/vendor-state.ts";
import type { FinishReason } from "../model/model-chunk.ts";
import type { StreamChunk } from "../run/stream-chunk.ts";
import { askModel } from "./ask-model.ts";
import type { LoopPlan } from "./loop-plan.ts";
import { runTools } from "./run-tools.ts";
import { structuredAnswer } from "./structured-answer.ts";
import type { Asked } from "./structured-answer.ts";
import { callIdsOf } from "./turn-call-ids.ts";

/**
 * Calls the model, runs the tools that it asks for, and repeats until it answers. When it may ask for no more tools, it is
 * called once more without them, so that the user gets an answer.
 */
export async function* toolLoop<Structured>(plan: LoopPlan<Structured>): AsyncGenerator<StreamChunk, FinishReason> {
  const messages = withoutState(plan.messages);
  const callIds = callIdsOf(messages);
  for (let roundtrip = 0; ; roundtrip++) {
    const mayCallTools = roundtrip < plan.maxToolRoundtrips;
    const response = yield* askModel(plan, { messages, callIds, mayCallTools });
    if (!mayCallTools || response.toolCalls.length === 0) {
      const finishReason = yield* finishAnswer(plan, { messages, callIds }, response);
      return mayCallTools || roundtrip === 0 ? finishReason : "tool_roundtrips";
    }
    messages.push(...(yield* runTools(plan, response, roundtrip)));
  }
}

async function* finishAnswer<Structured>(
  plan: LoopPlan<Structured>,
  asked: Asked,
  response: ModelResponse,
): AsyncGenerator<StreamChunk, FinishReason> {
  const { run, structured } = plan;
  const isPlain = structured === undefined;
  const reason = isPlain ? response.finishReason : yield* structuredAnswer({ ...plan, structured }, asked, response);
  if (run.text !== "") run.messages.push({ role: "assistant", content: run.text });
  return reason;
}

/** Vendor state comes from the model calls of this run alone: stored messages that hold some are not believed. */
function withoutState(messages: readonly ModelMessage[]): ModelMessage[] {
  return messages.map((message) => {
    if (message.vendorState === undefined) return message;
    const { vendorState: _, ...plain } = message;
    return plain;
  });
}
