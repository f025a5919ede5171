import type { ToolCallResult } from "../message/tool-call.ts";
import type { RunContext } from "../run/run-context.ts";
import { answerCall } from "./answer-call.ts";
import { denialOf } from "./ask-hook.ts";
import type { CallAtHand, CallScope } from "./call-scope.ts";
import { checkArguments } from "./check-arguments.ts";
import { copyPlain } from "./copy-plain.ts";
import { failureText, loggedCause, shortText } from "./failure-text.ts";
import { failed } from "./outcome.ts";
import type { Outcome } from "./outcome.ts";
import type { ToolSet } from "./tool-set.ts";

/** Sees one call through, whatever happens to it. Gives nothing when the batch was over before the call was done. */
export async function executeCall(at: CallAtHand, scope: CallScope): Promise<ToolCallResult | undefined> {
  if (scope.running.isOver) return undefined;
  const startedAt = performance.now();
  const { id, name } = at.call;
  // What no storage would take is not repeated.
  const args = at.formProblem === undefined ? copyPlain(at.call.arguments) : {};
  tellCall(at, args, scope);
  const outcome = await outcomeOf(at, scope);
  if (scope.running.isOver) return undefined;
  const result = { toolCallId: id, toolName: name, args, ...outcome, durationMs: performance.now() - startedAt };
  // Kept before it is told: who hears of it may end the run.
  scope.onResult?.(result);
  tellResult(at, outcome.result, scope);
  return result;
}

/** The story of a call, one step per line; the first step that fails is the end of it. */
async function outcomeOf(at: CallAtHand, scope: CallScope): Promise<Outcome> {
  const { tools, context } = scope;
  const { name } = at.call;
  try {
    const tool = tools.find(name);
    if (tool === undefined) return failed(unknownTool(name, tools));
    if (at.formProblem !== undefined) return failed(`The arguments of ${name} ${at.formProblem}.`);
    const checked = await checkArguments(tools, tool, at.call);
    if (!checked.ok) return failed(shortText(`The arguments of ${name} ${checked.problem}`));
    const denial = await denialOf({ ...at.call, arguments: checked.args }, scope);
    return denial ?? (await answerCall({ ...at, tool, args: checked.args }, scope));
  } catch (error) {
    context.logger.warn(`The tool ${name} could not be called.`, { error: loggedCause(error, context) });
    return failed(failureText(`The tool ${name} could not be called`, error, context));
  }
}

function unknownTool(name: string, { names }: ToolSet): string {
  const tools = names.length === 0 ? "there are none" : `the tools are ${names.join(", ")}`;
  return shortText(`There is no tool ${JSON.stringify(name.slice(0, 64))}: ${tools}.`);
}

function tellCall({ call }: CallAtHand, args: Record<string, unknown>, { context, eventBus }: CallScope): void {
  if (!eventBus.has("tool.call")) return;
  eventBus.emit("tool.call", { ...idsOf(context), toolCallId: call.id, toolName: call.name, args: copyPlain(args) });
}

function tellResult({ call }: CallAtHand, result: string, { context, eventBus }: CallScope): void {
  if (!eventBus.has("tool.result")) return;
  eventBus.emit("tool.result", { ...idsOf(context), toolCallId: call.id, toolName: call.name, result });
}

function idsOf({ runId, parentRunId }: RunContext): { runId: string; parentRunId?: string } {
  return parentRunId === undefined ? { runId } : { runId, parentRunId };
}
