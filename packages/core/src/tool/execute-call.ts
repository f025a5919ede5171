import type { EventBus } from "../events/event-bus.ts";
import { writesLevel } from "../log/logger.ts";
import type { ToolCall, ToolCallResult } from "../message/tool-call.ts";
import { runOf } from "../run/derive-context.ts";
import type { RunContext } from "../run/run-context.ts";
import type { RunEvents } from "../run/run-events.ts";
import type { CompiledSchema } from "../schema/compile-schema.ts";
import { describeJsonProblem } from "../schema/json-limits.ts";
import { parseArguments } from "../schema/parse-model-json.ts";
import { describeIssues } from "../schema/schema-issue.ts";
import { isRecord } from "../util/is-record.ts";
import { elapsedMs } from "../util/elapsed-ms.ts";
import { copyPlain } from "./copy-plain.ts";
import { requireAnswer } from "./require-answer.ts";
import { ToolExecution } from "./tool-execution.ts";
import { failureText, loggedCause, cutFailureText } from "./failure-text.ts";
import { failedOutcome } from "./tool-outcome.ts";
import type { ToolOutcome } from "./tool-outcome.ts";
import type { RunningCalls } from "./running-calls.ts";
import { cacheKey } from "./tool-cache.ts";
import type { ToolSet } from "./tool-set.ts";
import type { ExecutableTool, ToolDef } from "../run/tool.ts";
import { denialBy, denialOf } from "./approve-call.ts";
import type { ApprovalHook, ToolHook } from "./approve-call.ts";
import type { CallSlots } from "./call-slots.ts";

/** The progress of a tool call, as its tool reported it last. */
export type ToolProgress = { readonly toolCallId: string; readonly toolName: string; progress: unknown };

/**
 * A batch of tool calls under way: the tools, run context, events and hooks that all its calls share, and the calls that
 * are running.
 */
export type RunningBatch = {
  readonly tools: ToolSet;
  readonly context: RunContext;
  readonly eventBus: EventBus<RunEvents>;
  readonly running: RunningCalls;
  readonly onToolCall: ToolHook | undefined;
  readonly onApproval: ApprovalHook | undefined;
  /** The slots for calls at work, of which this call has one. */
  readonly slots: CallSlots;
  readonly answerSchema: CompiledSchema | undefined;
  readonly onResult: ((result: ToolCallResult) => void) | undefined;
  readonly onProgress: (progress: ToolProgress) => void;
};

/**
 * One tool call of a batch, with its idempotency key and the problem with the form of its arguments, if there is one.
 */
export type BatchCall = {
  readonly call: ToolCall;
  readonly idempotencyKey: string;
  /** A problem with the form of its arguments, if there is one. */
  readonly formProblem: string | undefined;
};

/**
 * Executes one tool call of a batch, with its hook and events, and turns every failure into a result for the model.
 * Returns undefined when the batch was over first.
 */
export async function executeCall(batchCall: BatchCall, batch: RunningBatch): Promise<ToolCallResult | undefined> {
  const { call, formProblem: problem } = batchCall;
  if (batch.running.isOver) return undefined;
  const startedAt = performance.now();
  // Arguments of bad form are left out of the result: no storage would take them.
  const args = problem === undefined ? copyPlain(call.arguments) : {};
  emitCall(call, args, batch);
  const outcome = await outcomeOf(batchCall, batch);
  if (batch.running.isOver) return undefined;
  const durationMs = elapsedMs(startedAt);
  const result = { toolCallId: call.id, toolName: call.name, args, ...outcome, durationMs };
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

/** The outcome of a call, and the arguments with which it was approved in place of its own. */
type CallOutcome = ToolOutcome & { readonly args?: Record<string, unknown> };

/** Makes the call, unless something forbids it, and turns every failure into an outcome. */
async function outcomeOf(batchCall: BatchCall, batch: RunningBatch): Promise<CallOutcome> {
  const { name } = batchCall.call;
  try {
    return await checkAndRun(batchCall, batch);
  } catch (error) {
    const { context } = batch;
    context.logger.warn(`The tool ${name} could not be called.`, { error: loggedCause(error, context) });
    const told = `The tool ${name} could not be called`;
    return failedOutcome(failureText(told, error, context), `${told}.`);
  }
}

/** The steps of a call; the first that fails is the last. */
async function checkAndRun(batchCall: BatchCall, batch: RunningBatch): Promise<CallOutcome> {
  const { tools, running } = batch;
  const { call, formProblem: problem } = batchCall;
  const tool = tools.find(call.name);
  if (tool === undefined) return failedOutcome(unknownTool(call.name, tools));
  if (problem !== undefined) return failedOutcome(`The arguments of ${call.name} ${problem}.`);
  const checked = await checkCall({ ...batchCall, tool }, batch);
  if ("result" in checked) return checked;
  if (!isExecutable(tool)) return refuseClientTool(tool, batch);
  const denial = await denialOf(checked, batch);
  if (denial !== undefined) return denial;
  if (running.isOver) return failedOutcome("The run was over before the tool was called.");
  const outcome = await runTool({ ...checked, tool }, batch);
  return tool.endsRun === true ? await requireAnswer(outcome, call.name, batch.answerSchema) : outcome;
}

type CheckedCall = BatchCall & { readonly tool: ToolDef; readonly args: Record<string, unknown> };

/** Checks the arguments of a call by the schema of its tool and by the hook. Returns the checked call, or its refusal. */
async function checkCall(
  batchCall: BatchCall & { tool: ToolDef },
  batch: RunningBatch,
): Promise<CheckedCall | ToolOutcome> {
  const { call, tool } = batchCall;
  // Copied: the checked arguments belong to the tool alone.
  const checked = await batch.tools.argumentSchemaOf(tool).validate(copyPlain(call.arguments));
  if (!checked.ok) return failedOutcome(cutFailureText(misfit(tool.name, describeIssues(checked.issues, "arguments"))));
  const denial =
    batch.onToolCall && (await denialBy(batch.onToolCall, { ...call, arguments: checked.value }, batch.context));
  return denial ?? { ...batchCall, args: checked.value };
}

/** Fails a call that the client has to execute, in a run that cannot ask it. */
function refuseClientTool({ name: toolName }: ToolDef, { context }: RunningBatch): ToolOutcome {
  const sentence = `The tool ${toolName} has no execute: the client executes its calls, and only a run of a RunService can wait for that. Run the agent in a RunService, or give the tool execute.`;
  runOf(context)?.warnOnce("client_tool_unavailable", sentence, { toolName });
  return failedOutcome(`The tool ${toolName} is not available in this run.`);
}

function isExecutable(tool: ToolDef): tool is ExecutableTool {
  return tool.execute !== undefined;
}

/** Returns the outcome from the cache, from an equal call that is under way, or from an execution. */
async function runTool(checkedCall: CheckedCall & { tool: ExecutableTool }, batch: RunningBatch): Promise<ToolOutcome> {
  const { tools, context, running } = batch;
  const { tool, call } = checkedCall;
  const onProgress = (progress: unknown) => passProgress(call, progress, batch);
  const start = () => new ToolExecution({ ...checkedCall, toolCallId: call.id, context });
  const cache = tools.cacheOf(tool);
  if (cache === undefined) {
    const execution = start();
    return await running.during(execution.outcome, execution.join(onProgress));
  }
  const key = cacheKey(tool.name, call.arguments, context);
  const cached = cache.get(key);
  if (cached !== undefined) return cached;
  // Equal calls share an execution only when it changes nothing.
  const execution = tool.effect === "pure" ? cache.share(key, start) : start();
  const outcome = await running.during(execution.outcome, execution.join(onProgress));
  cache.set(key, outcome);
  // Copied: the cache and equal calls hold the outcome too.
  return copyPlain(outcome);
}

function unknownTool(name: string, { names }: ToolSet): string {
  const expected = names.length === 0 ? "There are no tools." : `Expected one of ${names.join(", ")}.`;
  return cutFailureText(`Tool ${JSON.stringify(name.slice(0, 64))} not found. ${expected}`);
}

function misfit(name: string, issues: string): string {
  return `The arguments of ${name} do not fit its parameters:\n${issues}`;
}

function emitCall({ id, name }: ToolCall, args: Record<string, unknown>, { context, eventBus }: RunningBatch): void {
  if (!eventBus.has("tool.call")) return;
  eventBus.emit("tool.call", { ...idsOf(context), toolCallId: id, toolName: name, args: copyPlain(args) });
}

function passProgress({ id, name }: ToolCall, progress: unknown, batch: RunningBatch): void {
  const { context, eventBus, running, onProgress } = batch;
  if (running.isOver) return;
  if (eventBus.has("tool.progress")) {
    const event = { ...idsOf(context), toolCallId: id, toolName: name, progress: copyPlain(progress) };
    eventBus.emit("tool.progress", event);
  }
  onProgress({ toolCallId: id, toolName: name, progress });
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

function idsOf({ runId, parentRunId }: RunContext): { runId: string; parentRunId?: string } {
  return parentRunId === undefined ? { runId } : { runId, parentRunId };
}
