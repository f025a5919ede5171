import { writesLevel } from "../../base/log/logger.ts";
import type { ToolCall, ToolCallResult } from "../../base/message/tool-call.ts";
import { describeJsonProblem } from "../../schema/json-limits.ts";
import { parseArguments } from "../../schema/parse-model-json.ts";
import { meterOf, runOfContext } from "../run/derive-context.ts";
import type { Run } from "../run/run.ts";
import { isRecord } from "../../base/util/is-record.ts";
import { elapsedMs } from "../../base/util/elapsed-ms.ts";
import { eventIdsOf } from "../run/event-ids.ts";
import { outcomeOf } from "./call-outcome.ts";
import type { BatchCall, RunningBatch, StepCall } from "./call-outcome.ts";
import { isChildRunTool, onStoredResult } from "./child-run-tool.ts";
import { copyPlain } from "./copy-plain.ts";
import { observeToolCall } from "./observe-tool-call.ts";
import type { ToolOutcome } from "./tool-outcome.ts";

/**
 * Executes one tool call of a batch, with its hooks and events, and converts every failure into a result for the model.
 * A call is a step of its run: if its result is stored, returns that result without hooks and events. Returns undefined
 * if the batch ended first.
 */
export function executeCall(
  batchCall: BatchCall,
  batch: RunningBatch,
): ToolCallResult | undefined | Promise<ToolCallResult | undefined> {
  if (batch.running.isOver) return undefined;
  const run = runOfContext(batch.context);
  if (run === undefined) return makeCall(batchCall, batch);
  return run.step<ToolCallResult | undefined>(
    callKey(batchCall),
    "tool",
    (step) => makeCall(step === undefined ? batchCall : { ...batchCall, step }, batch),
    {
      meter: meterOf(batch.context),
      sources: { run, before: batch.sourcesBefore },
      replay: (stored) => replayCall(batchCall, stored as unknown as ToolCallResult, { batch, run }),
    },
  );
}

/** Returns the key of the step of a tool call: the number of the round trip and the index of the call. */
function callKey({ place }: BatchCall): string {
  return `t/${place}`;
}

function replayCall(
  batchCall: BatchCall,
  result: ToolCallResult,
  { batch, run }: { batch: RunningBatch; run: Run },
): ToolCallResult {
  const tool = batch.tools.find(batchCall.call.name);
  if (tool !== undefined && isChildRunTool(tool)) tool[onStoredResult](run.steps.part(callKey(batchCall)));
  batch.onResult?.(result);
  return result;
}

async function makeCall(stepCall: StepCall, batch: RunningBatch): Promise<ToolCallResult | undefined> {
  const { call, step, formProblem: problem } = stepCall;
  const ending = step?.beforeWork();
  if (ending !== undefined) await ending;
  if (batch.running.isOver) return undefined;
  const startedAt = performance.now();
  // Malformed arguments are omitted from the result, because no storage accepts them.
  const args = problem === undefined ? copyPlain(call.arguments) : {};
  emitCall(stepCall, args, batch);
  const { sources, ...outcome } = await (batch.telemetry === undefined
    ? outcomeOf(stepCall, batch)
    : observeToolCall(batch.telemetry, { call, args, batch }, () => outcomeOf(stepCall, batch)));
  if (batch.running.isOver) return undefined;
  passOnSources(sources, call, batch);
  const durationMs = elapsedMs(startedAt);
  const result = { toolCallId: call.id, toolName: call.name, args, ...outcome, durationMs };
  step?.done(result);
  // `onResult` is called before the event `tool.result` is emitted, because an event handler may end the run.
  batch.onResult?.(result);
  emitResult(result, batch);
  logCall(result, batch);
  return result;
}

/** Adds the sources of a tool's result to the run, with the id of the call. */
function passOnSources(sources: ToolOutcome["sources"], { id: toolCallId }: ToolCall, { context }: RunningBatch): void {
  if (sources !== undefined) runOfContext(context)?.passOnSources(sources.map((source) => ({ ...source, toolCallId })));
}

/** Logs the end of a tool call at level `debug`, without its arguments and result. */
function logCall(
  { toolName, toolCallId, error, durationMs }: ToolCallResult,
  { context: { logger } }: RunningBatch,
): void {
  if (!writesLevel(logger, "debug")) return;
  logger.debug("The tool call ended.", { toolName, toolCallId, failed: error !== undefined, durationMs });
}

/** The malformed arguments of a tool call: the text that the model wrote, or the problem with its form. */
export type MalformedArguments = { readonly toolCallId: string; readonly text: string; readonly problem?: string };

/** Describes the problem with the form of a tool call's arguments; undefined if they are well-formed. */
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

function emitCall({ call, step }: StepCall, args: Record<string, unknown>, { context, eventBus }: RunningBatch): void {
  const { id, name } = call;
  if (step?.isResumed === true || !eventBus.has("tool.call")) return;
  eventBus.emit("tool.call", { ...eventIdsOf(context), toolCallId: id, toolName: name, args: copyPlain(args) });
}

function emitResult({ toolCallId, toolName, ...outcome }: ToolCallResult, { context, eventBus }: RunningBatch): void {
  if (!eventBus.has("tool.result")) return;
  const { result, error, artifacts } = copyPlain(outcome);
  eventBus.emit("tool.result", {
    ...eventIdsOf(context),
    toolCallId,
    toolName,
    result,
    ...(error !== undefined && { error }),
    ...(artifacts !== undefined && { artifacts }),
  });
}
