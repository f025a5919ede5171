import type { ChatMessage } from "../message/message.ts";
import type { ToolCallResult } from "../message/tool-call.ts";
import type { ModelResponse } from "../model/model-response.ts";
import type { StreamChunk } from "../run/stream-chunk.ts";
import type { ModelMessage } from "../model/vendor-state.ts";
import { executeToolCalls } from "../tool/execute-tool-calls.ts";
import type { LoopPlan } from "./loop-plan.ts";

/** What is asked for in one step, and what was said beside it. */
export type ToolStep = Pick<ModelResponse, "text" | "toolCalls" | "malformedArguments" | "vendorState">;

/**
 * Executes what is asked for, side by side; the end of each call is streamed when it has come. Records the step as messages
 * and returns them for the next model call.
 */
export async function* runTools(
  plan: LoopPlan,
  step: ToolStep,
  roundtrip: number,
): AsyncGenerator<StreamChunk, ModelMessage[]> {
  const { run, tools, onToolCall } = plan;
  const { text, toolCalls: calls, malformedArguments = [] } = step;
  const done: ToolCallResult[] = [];
  run.unfinishedStep = { text, toolCalls: calls, results: done };
  const batch = executeToolCalls({
    calls,
    malformedArguments,
    tools,
    context: run.context,
    eventBus: run.eventBus,
    roundtrip,
    ...(onToolCall !== undefined && { onToolCall }),
    // At once, and not when the reader comes to it: what was done is known however the run ends.
    onResult: (result) => {
      done.push(result);
      run.toolCalls.push(result);
    },
  });
  let next = await batch.next();
  for (; next.done !== true; next = await batch.next()) {
    yield { type: "tool_call_end", toolCallId: next.value.toolCallId };
  }
  run.signal.throwIfAborted();
  // In the order of the calls, whatever order they ended in.
  run.toolCalls.splice(-calls.length, calls.length, ...next.value);
  run.unfinishedStep = undefined;
  const [asked, ...results] = toMessages(step, next.value);
  run.messages.push(asked, ...results);
  // The state is for the next model call of this run: what is recorded reaches storage and clients.
  const { vendorState } = step;
  return [vendorState === undefined ? asked : { ...asked, vendorState }, ...results];
}

function toMessages({ text, toolCalls }: ToolStep, done: readonly ToolCallResult[]): [ChatMessage, ...ChatMessage[]] {
  const results = done.map(({ toolCallId, result }): ChatMessage => ({ role: "tool", toolCallId, content: result }));
  return [{ role: "assistant", content: text === "" ? null : text, toolCalls }, ...results];
}
