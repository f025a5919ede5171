import { runOfContext } from "../run/derive-context.ts";
import type { RunContext } from "../run/run-context.ts";
import type { OpenStep } from "../run/run-steps.ts";
import type { ToolDef } from "../run/tool.ts";
import type { ToolCall } from "../../base/message/tool-call.ts";
import { isRecord } from "../../base/util/is-record.ts";
import { readProperty } from "../../base/util/read-property.ts";
import type { CallSlots } from "./running-calls.ts";
import type { ToolSet } from "./tool-set.ts";
import { askAbout } from "./ask-about.ts";
import { copyPlain } from "./copy-plain.ts";
import { cutFailureText, keyMasker, loggedCause } from "./failure-text.ts";
import { failedOutcome } from "./tool-outcome.ts";
import type { ToolOutcome } from "./tool-outcome.ts";

/**
 * The hook `onToolCall`, called before a tool is executed, with checked arguments. If it denies the call or throws, the
 * tool is not executed.
 */
export type ToolHook = (
  context: RunContext,
  call: ToolCall,
) => void | { deny: string } | Promise<void> | Promise<void | { deny: string }>;

/** The verdict of the hook `onApproval`. The model receives the reason of a denial. */
export type ApprovalVerdict = { approved: boolean; reason?: string | undefined };

/** The hook `onApproval`, called for a call that needs an approval. */
export type ApprovalHook = (context: RunContext, call: ToolCall) => ApprovalVerdict | Promise<ApprovalVerdict>;

/**
 * The run's context and tools, the hook `onApproval`, and the execution slots for the tool calls of one model answer.
 */
type Approvers = {
  readonly context: RunContext;
  readonly tools: Pick<ToolSet, "argumentSchemaOf">;
  readonly onApproval: ApprovalHook | undefined;
  readonly slots: CallSlots;
};

/** A call of a tool, with its checked arguments and, in a durable run, its step. */
type ApprovableCall = {
  readonly call: ToolCall;
  readonly tool: ToolDef;
  readonly args: Record<string, unknown>;
  readonly step?: OpenStep;
};

/** The permission to execute a tool call. `args` replaces the arguments of the call. */
type Approval = { readonly args?: Record<string, unknown> };

/**
 * Calls the hook `onToolCall` and returns the outcome of a denied tool call. `undefined` if the hook returned nothing,
 * so that the call proceeds; a hook that fails denies the call.
 */
export async function denialBy(
  onToolCall: ToolHook,
  call: ToolCall,
  context: RunContext,
): Promise<ToolOutcome | undefined> {
  try {
    // The hook receives a copy, so that its changes do not change the tool call.
    const verdict: unknown = await onToolCall(context, copyPlain(call));
    if (verdict === undefined || verdict === null) return undefined;
    const reason = readProperty(verdict, "deny");
    if (typeof reason !== "string") throw new TypeError("onToolCall must return nothing or { deny: reason }.");
    return deniedOutcome(call.name, reason, context);
  } catch (error) {
    return failedHook("onToolCall", { toolName: call.name, error }, context);
  }
}

/**
 * Returns the permission to execute a tool call, or its denial. A call that needs an approval asks the hook
 * `onApproval`. Without that hook a durable run waits for an answer, which may change the arguments; any other run
 * denies the call.
 */
export async function approvalOf(checked: ApprovableCall, approvers: Approvers): Promise<Approval | ToolOutcome> {
  const { step, tool } = checked;
  const { context, tools, onApproval, slots } = approvers;
  // If an approval was requested before, it stays required, whatever `needsApproval` returns now.
  const hasAsked = step?.hasAskedApproval === true;
  if (!hasAsked && !(await needsApproval(checked, context))) return {};
  if (onApproval !== undefined && !hasAsked) {
    const call = { ...checked.call, arguments: checked.args };
    return await slots.leaveFor(async () => (await denialByApprover(onApproval, call, context)) ?? {});
  }
  if (step === undefined) return deniedUnasked(tool.name, context);
  const argsSchema = tools.argumentSchemaOf(tool).jsonSchema;
  const question = { tool, toolCallId: checked.call.id, args: checked.args, argsSchema };
  return readApproval(await slots.leaveFor(async () => await askAbout(step, "approval", question)), tool.name, context);
}

/** Reads the answer to an approval request. A malformed answer is a denial. */
function readApproval(answer: unknown, toolName: string, context: RunContext): Approval | ToolOutcome {
  const [approved, reason, args] = ["approved", "reason", "args"].map((name) => readProperty(answer, name));
  if (approved !== true) return deniedOutcome(toolName, typeof reason === "string" ? reason : undefined, context);
  if (args === undefined) return {};
  return isRecord(args) ? { args } : deniedOutcome(toolName, "The arguments in the approval are no object.", context);
}

/** Returns true if a tool call needs an approval. If the tool's check `needsApproval` throws, an approval is needed. */
async function needsApproval({ tool, args }: ApprovableCall, context: RunContext): Promise<boolean> {
  const needed = tool.needsApproval ?? false;
  if (typeof needed === "boolean") return needed;
  try {
    const answer: unknown = await needed(copyPlain(args), context);
    if (typeof answer === "boolean") return answer;
    throw new TypeError("needsApproval must return true or false.");
  } catch (error) {
    const message = `The function needsApproval of the tool ${tool.name} failed, so its call needs an approval.`;
    runOfContext(context)?.warn("hook_failed", message, { toolName: tool.name, error: loggedCause(error, context) });
    return true;
  }
}

/**
 * Asks the hook `onApproval` and returns the outcome of a denied tool call; `undefined` if the hook approved it. A hook
 * that fails denies the call.
 */
async function denialByApprover(
  onApproval: ApprovalHook,
  call: ToolCall,
  context: RunContext,
): Promise<ToolOutcome | undefined> {
  try {
    const verdict: unknown = await onApproval(context, copyPlain(call));
    const [approved, reason] = [readProperty(verdict, "approved"), readProperty(verdict, "reason")];
    const isSound = typeof approved === "boolean" && (reason === undefined || typeof reason === "string");
    if (!isSound) throw new TypeError("onApproval must return { approved: true } or { approved: false, reason? }.");
    return approved ? undefined : deniedOutcome(call.name, reason, context);
  } catch (error) {
    return failedHook("onApproval", { toolName: call.name, error }, context);
  }
}

/** Makes the outcome of a denied tool call, with the reason for the model and clients. */
function deniedOutcome(toolName: string, reason: string | undefined, context: RunContext): ToolOutcome {
  if (reason === undefined || reason === "") return failedOutcome(`The call of ${toolName} was denied.`);
  return failedOutcome(cutFailureText(`The call of ${toolName} was denied: ${keyMasker(context)(reason)}`));
}

/** Returns true if a failed tool call's public error states that the call was denied. */
export function wasToolCallDenied({ toolName, error }: { toolName: string; error?: string | undefined }): boolean {
  return error?.startsWith(`The call of ${toolName} was denied`) === true;
}

function failedHook(
  hook: string,
  { toolName, error }: { toolName: string; error: unknown },
  context: RunContext,
): ToolOutcome {
  const message = `The hook ${hook} failed, so ${toolName} was not called.`;
  runOfContext(context)?.warn("hook_failed", message, { toolName, error: loggedCause(error, context) });
  return failedOutcome(`The call of ${toolName} was not allowed.`);
}

function deniedUnasked(toolName: string, context: RunContext): ToolOutcome {
  const message = `The tool ${toolName} needs an approval, and this run cannot ask for one, so its call was denied. Give the agent hooks.onApproval, or run it in a RunService.`;
  runOfContext(context)?.warnOnce("approval_unavailable", message, { toolName });
  return failedOutcome(`The call of ${toolName} was denied: it needs an approval, which this run cannot ask for.`);
}
