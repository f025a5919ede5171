import { writesLevel } from "../../base/log/logger.ts";
import type { ToolCall, ToolCallResult } from "../../base/message/tool-call.ts";
import { describeJsonProblem } from "../../schema/json-limits.ts";
import { parseArguments } from "../../schema/parse-model-json.ts";
import { runOf } from "../run/derive-context.ts";
import { isRecord } from "../../base/util/is-record.ts";
import { elapsedMs } from "../../base/util/elapsed-ms.ts";
import { idsOf, outcomeOf } from "./call-outcome.ts";
import type { BatchCall, RunningBatch, StepCall } from "./call-outcome.ts";
import { callKey, CallStep } from "./call-step.ts";
import { isChildRunTool, onStoredResult } from "./child-run-tool.ts";
import { copyPlain } from "./copy-plain.ts";

/**
 * Executes one tool call of a batch, with its hook and events, and turns every failure into a result for the model. In a
 * durable run a call whose result is in the journal has that result, without hook and events. Returns undefined when the batch
 * was over first.
 */
export function executeCall(
  batchCall: BatchCall,
  batch: RunningBatch,
): ToolCallResult | undefined | Promise<ToolCallResult | undefined> {
  if (batch.running.isOver) return undefined;
  const opened = CallStep.open(batchCall.place, batch.context);
  if (opened === undefined) return makeCall(batchCall, batch);
  if (opened instanceof CallStep) return makeCall({ ...batchCall, step: opened }, batch).finally(() => opened.leave());
  noteStored(batchCall, batch);
  batch.onResult?.(opened);
  return opened;
}

/** Lets a tool whose calls are child runs know of a call whose result is stored. */
function noteStored({ call, place }: BatchCall, { tools, context }: RunningBatch): void {
  const [tool, journal] = [tools.find(call.name), runOf(context)?.journal];
  if (tool !== undefined && isChildRunTool(tool) && journal !== undefined) {
    tool[onStoredResult](journal.within(callKey(place)));
  }
}

async function makeCall(stepCall: StepCall, batch: RunningBatch): Promise<ToolCallResult | undefined> {
  const { call, step, formProblem: problem } = stepCall;
  const ending = step?.beforeWork();
  if (ending !== undefined) await ending;
  if (batch.running.isOver) return undefined;
  const startedAt = performance.now();
  // Arguments of bad form are left out of the result: no storage would take them.
  const args = problem === undefined ? copyPlain(call.arguments) : {};
  if (step?.isResumed !== true) emitCall(call, args, batch);
  const outcome = await outcomeOf(stepCall, batch);
  if (batch.running.isOver) return undefined;
  const durationMs = elapsedMs(startedAt);
  const result = { toolCallId: call.id, toolName: call.name, args, ...outcome, durationMs };
  step?.done(result);
  // Before the event: one of its handlers may end the run.
  batch.onResult?.(result);
  emitResult(result, batch);
  logCall(result, batch);
  return result;
}

/** Logs the end of a call at level `debug`, without its arguments and its result. */
function logCall(
  { toolName, toolCallId, error, durationMs }: ToolCallResult,
  { context: { logger } }: RunningBatch,
): void {
  if (!writesLevel(logger, "debug")) return;
  logger.debug("The tool call ended.", { toolName, toolCallId, failed: error !== undefined, durationMs });
}

/** Arguments of a call that could not be read: the text that the model wrote, or the problem with what was read. */
export type MalformedArguments = { readonly toolCallId: string; readonly text: string; readonly problem?: string };

/** Describes the error in the form of a call's arguments, or returns undefined if they are sound. */
export function formProblem(call: ToolCall, malformed: MalformedArguments | undefined): string | undefined {
  const problem = malformed === undefined ? problemOfObject(call.arguments) : problemOf(malformed);
  if (problem === undefined) return undefined;
  const inPlural = problem
    .replace(/^is\b/, "are")
    .replace(/^nests/, "nest")
    .replace(/^holds/, "hold");
  return `${inPlural}: call it again with one JSON object as arguments`;
}

function problemOfObject(args: unknown): string | undefined {
  return isRecord(args) ? describeJsonProblem(args) : "is not an object";
}

function problemOf({ text, problem }: MalformedArguments): string {
  if (problem !== undefined) return problem;
  const parsed = parseArguments(text);
  return parsed.ok ? "is not a JSON object" : parsed.problem;
}

function emitCall({ id, name }: ToolCall, args: Record<string, unknown>, { context, eventBus }: RunningBatch): void {
  if (!eventBus.has("tool.call")) return;
  eventBus.emit("tool.call", { ...idsOf(context), toolCallId: id, toolName: name, args: copyPlain(args) });
}

function emitResult({ toolCallId, toolName, ...outcome }: ToolCallResult, { context, eventBus }: RunningBatch): void {
  if (!eventBus.has("tool.result")) return;
  const { result, error, artifacts } = copyPlain(outcome);
  eventBus.emit("tool.result", {
    ...idsOf(context),
    toolCallId,
    toolName,
    result,
    ...(error !== undefined && { error }),
    ...(artifacts !== undefined && { artifacts }),
  });
}
