import type { CallIds } from "../../sessions/history/call-ids.ts";
import type { ModelResponse } from "../../model/model-response.ts";
import type { StreamChunk } from "../run/stream-chunk.ts";
import { callModel, recordCall } from "./call-model.ts";
import type { AnsweredCall } from "./call-model.ts";
import { modelCallFacts, observeModelCall } from "./observe-model-call.ts";
import type { LoopPlan, PreparedCall } from "./loop-plan.ts";

/**
 * Makes a prepared model call as a step of the run (see `callModel`). If an earlier attempt at a durable run has stored
 * the response, records that response in the run, without chunks.
 *
 * @param callIds the ids of all tool calls in the conversation
 */
export function callModelOnce(
  plan: LoopPlan,
  prepared: PreparedCall,
  callIds: CallIds,
): AsyncGenerator<StreamChunk, ModelResponse> {
  const { run } = plan;
  return run.steps.stream<StreamChunk, ModelResponse>(
    `m/${prepared.index}`,
    "model",
    (step) => {
      const call = step === undefined ? prepared : { ...prepared, onShown: (chunk: StreamChunk) => step.tag(chunk) };
      step?.noteModelCall(() => modelCallFacts(plan, prepared));
      const { telemetry } = run.settings;
      if (telemetry === undefined) return callModel(plan, call, callIds);
      return observeModelCall({ ...plan, telemetry }, call, callIds);
    },
    {
      meter: run.meter,
      usageOf: ({ usage }) => usage,
      toStored: (response) => ({ response, thinking: run.thinking }) satisfies AnsweredCall,
      replay: (stored) => {
        const answered = stored as unknown as AnsweredCall;
        const { response } = answered;
        for (const { id } of response.toolCalls) callIds.take(id);
        recordCall(run, prepared, answered);
        run.text = plan.structured === undefined ? response.text : "";
        return response;
      },
    },
  );
}
