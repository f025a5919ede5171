import type { Telemetry } from "../../base/telemetry/telemetry.ts";
import type { ToolCall } from "../../base/message/tool-call.ts";
import { RunPaused } from "../run/run-paused.ts";
import type { CallOutcome, RunningBatch } from "./call-outcome.ts";

/** A tool call, with the arguments that telemetry records. */
type ObservedCall = {
  readonly call: ToolCall;
  readonly args: Record<string, unknown>;
  readonly batch: RunningBatch;
};

/**
 * Executes a tool call, and records the call in telemetry. Spans of the tool's own work become children of its span.
 */
export async function observeToolCall(
  telemetry: Telemetry,
  { call, args, batch }: ObservedCall,
  execute: () => Promise<CallOutcome>,
): Promise<CallOutcome> {
  const tool = batch.tools.find(call.name);
  const operation = telemetry.begin("tool", {
    name: call.name,
    isKnown: tool !== undefined,
    toolCallId: call.id,
    description: tool?.description,
    args: () => args,
  });
  try {
    const outcome = await operation.run(execute);
    operation.end({ failure: outcome.error, result: () => outcome.result });
    return outcome;
  } catch (error) {
    operation.end({ error, isPaused: error instanceof RunPaused, result: () => undefined });
    throw error;
  }
}
