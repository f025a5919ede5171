import type { EventBus } from "../../base/events/event-bus.ts";
import type { Telemetry } from "../../base/telemetry/telemetry.ts";
import type { ToolCall, ToolCallResult } from "../../base/message/tool-call.ts";
import { runOfContext } from "../run/derive-context.ts";
import { eventIdsOf } from "../run/event-ids.ts";
import type { RunContext } from "../run/run-context.ts";
import type { RunEvents } from "../run/run-events.ts";
import { RunPaused } from "../run/run-paused.ts";
import type { OpenStep } from "../run/run-steps.ts";
import type { ExecutableTool, ToolDef } from "../run/tool.ts";
import type { Json } from "../../sessions/storage/json.ts";
import type { CompiledSchema } from "../../schema/compile-schema.ts";
import { describeIssues } from "../../schema/schema-issue.ts";
import { equalJson } from "../../base/util/equal-json.ts";
import { readProperty } from "../../base/util/read-property.ts";
import { approvalOf, denialBy } from "./approve-call.ts";
import type { ApprovalHook, ToolHook } from "./approve-call.ts";
import { askAbout } from "./ask-about.ts";
import { isChildRunTool } from "./child-run-tool.ts";
import { copyPlain } from "./copy-plain.ts";
import { cutToBytes } from "./cut-content.ts";
import { cutFailureText, failureText, keyMasker, loggedCause } from "./failure-text.ts";
import { noAnswerInTime, outcomeOfInterrupted, unknownOutcome } from "./interrupted-call.ts";
import { outcomeOfReturn } from "./read-tool-result.ts";
import { requireAnswer } from "./require-answer.ts";
import type { CallSlots, RunningCalls } from "./running-calls.ts";
import { cacheKey } from "./tool-cache.ts";
import { ToolExecution } from "./tool-execution.ts";
import { failedOutcome } from "./tool-outcome.ts";
import type { ToolOutcome } from "./tool-outcome.ts";
import type { ToolSet } from "./tool-set.ts";

/** The last reported progress of a tool call. */
export type ToolProgress = { readonly toolCallId: string; readonly toolName: string; progress: unknown };

/**
 * The tool calls of one model answer (a batch) in progress: the tools, run context, events and hooks that they share,
 * and the running calls.
 */
export type RunningBatch = {
  readonly tools: ToolSet;
  readonly context: RunContext;
  readonly eventBus: EventBus<RunEvents>;
  readonly running: RunningCalls;
  readonly onToolCall: ToolHook | undefined;
  readonly onApproval: ApprovalHook | undefined;
  /** The slots for the calls of the batch that execute at the same time. Each call in progress occupies a slot. */
  readonly slots: CallSlots;
  readonly answerSchema: CompiledSchema | undefined;
  readonly onResult: ((result: ToolCallResult) => void) | undefined;
  readonly onProgress: (progress: ToolProgress) => void;
  /** Records the calls, if the run has telemetry. */
  readonly telemetry: Telemetry | undefined;
  /** The number of sources that the run had recorded before the batch. */
  readonly sourcesBefore: number;
};

/** One tool call of a batch, with its idempotency key, and the problem if its arguments are malformed. */
export type BatchCall = {
  readonly call: ToolCall;
  /** The number of the round trip and the index of the call, separated by a slash. */
  readonly place: string;
  readonly idempotencyKey: string;
  /** The problem with the form of the arguments; undefined if they are well-formed. */
  readonly formProblem: string | undefined;
};

/** A tool call with its step, if the run is durable. */
export type StepCall = BatchCall & { readonly step?: OpenStep };

/** A tool call with its checked arguments. */
type CheckedCall = StepCall & { readonly tool: ToolDef; readonly args: Record<string, unknown> };

/** The outcome of a tool call, and the arguments that replaced the model's arguments, if they were changed. */
export type CallOutcome = ToolOutcome & { readonly args?: Record<string, unknown> };

/**
 * Executes a tool call unless something forbids it, and converts every failure into an outcome. Rejects only with the
 * `RunPaused` of a durable run that continues later.
 */
export async function outcomeOf(stepCall: StepCall, batch: RunningBatch): Promise<CallOutcome> {
  const { name } = stepCall.call;
  try {
    return await checkAndRun(stepCall, batch);
  } catch (error) {
    if (error instanceof RunPaused) throw error;
    const { context } = batch;
    context.logger.warn(`The tool ${name} could not be called.`, { error: loggedCause(error, context) });
    const told = `The tool ${name} could not be called`;
    return failedOutcome(failureText(told, error, context), `${told}.`);
  }
}

/**
 * Checks, approves and executes a tool call in this order. Stops as soon as the call is refused. Continues a call that
 * was interrupted when its process ended.
 */
async function checkAndRun(stepCall: StepCall, batch: RunningBatch): Promise<CallOutcome> {
  const { call, step } = stepCall;
  const tool = batch.tools.find(call.name);
  if (step?.interrupted !== undefined) return await resume({ ...stepCall, step, tool }, batch);
  if (tool === undefined) return failedOutcome(unknownTool(call.name, batch.tools));
  const checked = await checkCall({ ...stepCall, tool }, batch);
  if ("result" in checked) return checked;
  const approved = mayNeedLeave(checked) ? await approve(checked, batch) : checked;
  if ("result" in approved) return approved;
  if (batch.running.isOver) return failedOutcome("The run was over before the tool was called.");
  const outcome = await execute(approved, batch);
  return approved.call === call ? outcome : withOtherArgs(outcome, approved);
}

/**
 * Checks a call's arguments with the schema of its tool and the hook `onToolCall`. Returns the checked call, or its
 * refusal.
 */
async function checkCall(
  stepCall: StepCall & { tool: ToolDef },
  { tools, context, onToolCall }: RunningBatch,
): Promise<CheckedCall | ToolOutcome> {
  const { call, tool, formProblem: problem } = stepCall;
  if (problem !== undefined) return failedOutcome(`The arguments of ${call.name} ${problem}.`);
  // The arguments are copied, because the checked arguments belong to the tool alone.
  const checked = await tools.argumentSchemaOf(tool).validate(copyPlain(call.arguments));
  if (!checked.ok) return failedOutcome(cutFailureText(misfit(tool.name, describeIssues(checked.issues, "arguments"))));
  const denial = onToolCall && (await denialBy(onToolCall, { ...call, arguments: checked.value }, context));
  return denial ?? { ...stepCall, args: checked.value };
}

/**
 * Returns true if a tool call may have to wait for an approval or for its client before it is executed. Most calls wait
 * for neither, and skip a turn of the microtask queue.
 */
function mayNeedLeave({ tool, step }: CheckedCall): boolean {
  const { execute: own, needsApproval = false } = tool;
  return own === undefined || needsApproval !== false || step?.hasAskedApproval === true;
}

/** Returns a tool call with its approved arguments, which are checked like the original arguments, or its refusal. */
async function approve(checked: CheckedCall, batch: RunningBatch): Promise<CheckedCall | ToolOutcome> {
  const { tool, step } = checked;
  if (tool.execute === undefined && step === undefined) return refuseClientTool(tool, batch);
  const approval = await approvalOf(checked, batch);
  if ("result" in approval) return approval;
  if (approval.args === undefined) return checked;
  return await checkCall({ ...checked, call: { ...checked.call, arguments: approval.args } }, batch);
}

/**
 * Continues a tool call that was interrupted when its process ended, with the arguments of that call; `onToolCall` and
 * `onApproval` are not called again. The call is repeated if a repetition is harmless, if the call did not take place,
 * or if a person decides so.
 */
async function resume(
  stepCall: StepCall & { step: OpenStep; tool: ToolDef | undefined },
  batch: RunningBatch,
): Promise<CallOutcome> {
  const { call, tool, step, idempotencyKey } = stepCall;
  const args = step.interrupted?.args as Record<string, unknown>;
  if (tool?.execute === undefined) return unknownOutcome(call.name);
  const checked = await batch.tools.argumentSchemaOf(tool).validate(copyPlain(args));
  if (!checked.ok) return unknownOutcome(call.name);
  const resumed = { ...stepCall, tool, call: { ...call, arguments: args }, args: checked.value };
  const { context } = batch;
  const interrupted = { tool, args: checked.value, toolCallId: call.id, idempotencyKey, step, context };
  const mayRepeat = tool.effect !== undefined && tool.effect !== "once";
  const known = mayRepeat ? undefined : await batch.slots.leaveFor(async () => await outcomeOfInterrupted(interrupted));
  const outcome = known === undefined ? await execute(resumed, batch) : await endRun(resumed, known, batch);
  return equalJson(args, call.arguments) ? outcome : withOtherArgs(outcome, resumed);
}

async function execute(checked: CheckedCall, batch: RunningBatch): Promise<ToolOutcome> {
  const { tool, step } = checked;
  if (isExecutable(checked)) {
    const outcome = await runTool(checked, batch);
    return tool.endsRun === true ? await endRun(checked, outcome, batch) : outcome;
  }
  if (step === undefined) return refuseClientTool(tool, batch);
  return await endRun(checked, await askClient({ ...checked, step }, batch), batch);
}

function isExecutable(checked: CheckedCall): checked is CheckedCall & { tool: ExecutableTool } {
  return checked.tool.execute !== undefined;
}

/**
 * For a tool that ends the run, checks that the outcome can be the answer. Returns the outcome of any other tool
 * unchanged.
 */
function endRun({ tool }: CheckedCall, outcome: ToolOutcome, batch: RunningBatch): ToolOutcome | Promise<ToolOutcome> {
  return tool.endsRun === true ? requireAnswer(outcome, tool.name, batch.answerSchema) : outcome;
}

/** Waits for the client to execute a tool call, and returns its outcome. */
async function askClient(
  { tool, call, args, step }: CheckedCall & { step: OpenStep },
  { context, slots }: RunningBatch,
): Promise<ToolOutcome> {
  const question = { tool, toolCallId: call.id, args };
  const answer = await slots.leaveFor(async () => await askAbout(step, "input", question).catch(noAnswerInTime));
  if (answer === undefined) return failedOutcome(`The client did not answer the call of ${tool.name} in time.`);
  const error = readProperty(answer, "error");
  if (error === undefined) return outcomeOfReturn(readProperty(answer, "result"), tool, context);
  const text = typeof error === "string" ? `: ${keyMasker(context)(error)}` : ".";
  return failedOutcome(cutFailureText(`The tool ${tool.name} failed${text}`));
}

/** Makes the outcome of a failed call of a tool that the client must execute, in a run that cannot ask the client. */
function refuseClientTool({ name: toolName }: ToolDef, { context }: RunningBatch): ToolOutcome {
  const sentence = `The tool ${toolName} has no execute: the client executes its calls, and only a run of a RunService can wait for that. Run the agent in a RunService, or give the tool execute.`;
  runOfContext(context)?.warnOnce("client_tool_unavailable", sentence, { toolName });
  return failedOutcome(`The tool ${toolName} is not available in this run.`);
}

/** Returns the outcome of a tool call from the cache, from an equal call in progress, or from an execution. */
async function runTool(checkedCall: CheckedCall & { tool: ExecutableTool }, batch: RunningBatch): Promise<ToolOutcome> {
  const { tools, context, running } = batch;
  const { tool, args, call, step, idempotencyKey } = checkedCall;
  const cache = tools.cacheOf(tool);
  const key = cache === undefined ? "" : cacheKey(tool.name, call.arguments, context);
  const cached = cache?.get(key);
  if (cached !== undefined) return cached;
  if (step !== undefined) await announce({ ...checkedCall, step });
  if (running.isOver) return failedOutcome("The run was over before the tool was called.");
  const onProgress = (progress: unknown) => passProgress(call, progress, batch);
  const scope = step?.scope;
  const start = () => new ToolExecution({ tool, args, toolCallId: call.id, idempotencyKey, context, scope });
  // Equal calls share an execution only if the tool is `pure`.
  const execution = cache !== undefined && tool.effect === "pure" ? cache.share(key, start) : start();
  const outcome = await running.during(execution.outcome, execution.join(onProgress));
  if (cache === undefined) return outcome;
  cache.set(key, outcome);
  // The outcome is copied, because the cache and equal calls use the same object.
  return copyPlain(outcome);
}

/**
 * Records that a tool call is about to be executed. A call that is a child run is not recorded, because it has its own
 * steps.
 */
async function announce({ tool, call, step, idempotencyKey: key }: CheckedCall & { step: OpenStep }): Promise<void> {
  const { name, effect = "once" } = tool;
  if (!isChildRunTool(tool)) await step.announce({ tool: name, args: call.arguments as Json, effect, key });
}

/** The maximum size of approved arguments in the note for the model, in bytes of UTF-8. */
const longestNote = 2048;

/** Adds the arguments that replaced the model's arguments to the outcome, for the record and for the model. */
function withOtherArgs(outcome: ToolOutcome, { call, tool }: CheckedCall): CallOutcome {
  const args = call.arguments;
  // A result that ends the run is the user's answer, and gets no note about changed arguments.
  if (tool.endsRun === true && outcome.error === undefined) return { ...outcome, args };
  const note = `[approved with other arguments: ${cutToBytes(JSON.stringify(args), longestNote).text}]`;
  const { result } = outcome;
  const noted = typeof result === "string" ? `${result}\n${note}` : [...result, { type: "text" as const, text: note }];
  return { ...outcome, args, result: noted };
}

function unknownTool(name: string, { names }: ToolSet): string {
  const expected = names.length === 0 ? "There are no tools." : `Expected one of ${names.join(", ")}.`;
  return cutFailureText(`Tool ${JSON.stringify(name.slice(0, 64))} not found. ${expected}`);
}

function misfit(name: string, issues: string): string {
  return `The arguments of ${name} do not fit its parameters:\n${issues}`;
}

function passProgress({ id, name }: ToolCall, progress: unknown, batch: RunningBatch): void {
  const { context, eventBus, running, onProgress } = batch;
  if (running.isOver) return;
  if (eventBus.has("tool.progress")) {
    const event = { ...eventIdsOf(context), toolCallId: id, toolName: name, progress: copyPlain(progress) };
    eventBus.emit("tool.progress", event);
  }
  onProgress({ toolCallId: id, toolName: name, progress });
}
