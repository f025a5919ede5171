import type { CallIds } from "../../sessions/history/call-ids.ts";
import { activeChunks } from "../../base/telemetry/active-chunks.ts";
import type { ModelCallBegin, ObservedSettings } from "../../base/telemetry/operations.ts";
import type { Telemetry } from "../../base/telemetry/telemetry.ts";
import type { ModelOptions } from "../../model/model-config.ts";
import type { ModelResponse } from "../../model/model-response.ts";
import type { StreamChunk } from "../run/stream-chunk.ts";
import { UsageMeter } from "../run/usage-meter.ts";
import { callByStream, callModel } from "./call-model.ts";
import type { LoopPlan, PreparedCall } from "./loop-plan.ts";

/** The plan of a tool loop, with the telemetry that records its model calls. */
type ObservedPlan = LoopPlan & { readonly telemetry: Telemetry };

/**
 * Makes a prepared model call as `callModel` does, and records the call in telemetry. The recorded usage includes
 * everything that the call adds to the run's meter, even for attempts that failed.
 */
export function observeModelCall(
  { telemetry, ...plan }: ObservedPlan,
  prepared: PreparedCall,
  callIds: CallIds,
): AsyncGenerator<StreamChunk, ModelResponse> {
  const { run } = plan;
  const meter = new UsageMeter({ parent: run.meter });
  const operation = telemetry.begin("model", modelCallFacts(plan, prepared));
  const chunks = callModel(plan, { ...prepared, meter, operation }, callIds);
  return activeChunks(operation, chunks, {
    onDone: (answer) => operation.end({ usage: meter.total, answer }),
    onFailed: (error) => operation.end({ usage: meter.total, error, isCancelled: run.signal.aborted }),
    onLeft: () => operation.end({ usage: meter.total, isCancelled: true }),
  });
}

/** Returns the facts about a model call that is about to be made. */
export function modelCallFacts({ call }: LoopPlan, { model, messages, options }: PreparedCall): ModelCallBegin {
  return {
    model: { providerId: model.providerId, modelId: model.modelId },
    isStream: call === callByStream,
    settings: observedSettings(options),
    messages: () => messages,
    tools: () => options.tools ?? [],
  };
}

function observedSettings(options: ModelOptions): ObservedSettings {
  const { temperature, topP, maxTokens, stop, seed, reasoning, responseFormat } = options;
  return {
    temperature,
    topP,
    maxTokens,
    stop,
    seed,
    reasoningEffort: reasoning?.effort,
    outputType: responseFormat === undefined || responseFormat === "text" ? undefined : "json",
  };
}
