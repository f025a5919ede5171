import type { CallIds } from "../../sessions/history/call-ids.ts";
import type { ModelOptions, ToolChoice } from "../../model/model-config.ts";
import { keyOptions } from "../../model/model-keys.ts";
import { isForcedChoice, requireChosenTool } from "../../model/model-settings.ts";
import type { ModelMessage } from "../../model/vendor-state.ts";
import type { ToolSet } from "../tool/tool-set.ts";
import { fitContext } from "./fit-context.ts";
import type { FillMessages } from "./fill-history.ts";
import type { LoopPlan, PreparedCall } from "./loop-plan.ts";
import { callPrepareStep } from "./prepare-step.ts";
import type { ModelCallChanges } from "./prepare-step.ts";
import { systemMessages } from "./system-prompt.ts";

/** The state that all model calls of one tool loop share. */
type LoopState = {
  /** The ids of all tool calls in the conversation. */
  readonly callIds: CallIds;
  /** The number of model calls that the tool loop has made so far. */
  modelCalls: number;
  /** True once the run has warned about a call above `maxContextTokens`. */
  hasWarned: boolean;
};

/** The input of `prepareCall`: the messages so far, the state of the loop, and true if tools may be called. */
export type ModelRequest = {
  readonly messages: readonly ModelMessage[];
  readonly state: LoopState;
  readonly mayCallTools: boolean;
};

const noChanges: ModelCallChanges = {};

/** Prepares a model call of the tool loop. Returns undefined if `prepareStep` ends the run instead. */
export function prepareCall(plan: LoopPlan, request: ModelRequest): PreparedCall | Promise<PreparedCall | undefined> {
  const { fillMessages } = plan;
  if (fillMessages === undefined) return prepare(plan, request);
  return prepareFilled(plan, request, fillMessages);
}

/**
 * Prepares a model call for a history whose images, audio and files are stored separately from the turns. They are read
 * only for the messages that are sent, unless `prepareStep` needs all messages.
 */
async function prepareFilled(
  plan: LoopPlan,
  request: ModelRequest,
  fill: FillMessages,
): Promise<PreparedCall | undefined> {
  const seen = plan.prepareStep === undefined ? request : { ...request, messages: await fill(request.messages) };
  const call = await prepare(plan, seen);
  return call === undefined ? undefined : { ...call, messages: await fill(call.messages) };
}

function prepare(plan: LoopPlan, request: ModelRequest): PreparedCall | Promise<PreparedCall | undefined> {
  const { prepareStep } = plan;
  const index = request.state.modelCalls++;
  if (prepareStep === undefined) return toPreparedCall(plan, request, { index, changes: noChanges });
  const { run, tools } = plan;
  const asked = callPrepareStep(prepareStep, { run, index, messages: request.messages, toolNames: tools.names });
  return asked.then((changes) =>
    changes.stop === true ? undefined : toPreparedCall(plan, request, { index, changes }),
  );
}

function toPreparedCall(
  plan: LoopPlan,
  request: ModelRequest,
  { index, changes }: { index: number; changes: ModelCallChanges },
): PreparedCall {
  const { run } = plan;
  const { model = plan.model } = changes;
  const tools = changes.tools === undefined ? plan.tools : plan.tools.subset(changes.tools);
  const choice = changes.toolChoice ?? choiceAt(index, plan.toolChoice);
  requireChosenTool(choice, tools.names, { at: `The toolChoice of model call ${index}` });
  const mayCallTools = request.mayCallTools && choice !== "none";
  return {
    model,
    tools,
    mayCallTools,
    index,
    messages: toMessages(plan, request, { instructions: changes.instructions, tools }),
    options: {
      ...plan.options,
      ...keyOptions(model, (providerId) => run.keyFor(providerId)),
      ...toolOptions(tools, mayCallTools, choice),
      signal: run.signal,
    },
  };
}

/**
 * Returns the tool choice of a model call. A choice that forces a call applies to the first model call only; otherwise
 * the loop would never end.
 */
function choiceAt(index: number, choice: ToolChoice | undefined): ToolChoice | undefined {
  return index > 0 && isForcedChoice(choice) ? undefined : choice;
}

function toolOptions(
  { specs: tools }: ToolSet,
  mayCallTools: boolean,
  toolChoice: ToolChoice | undefined,
): Pick<ModelOptions, "tools" | "toolChoice"> {
  if (tools.length === 0) return {};
  // The tools are sent even if they may not be called, because vendors reject a history with calls of unknown tools.
  if (!mayCallTools) return { tools, toolChoice: "none" };
  return toolChoice === undefined ? { tools } : { tools, toolChoice };
}

function toMessages(
  plan: LoopPlan,
  { messages, state }: ModelRequest,
  { instructions, tools }: { instructions: string | undefined; tools: ToolSet },
): readonly ModelMessage[] {
  const { prompt, maxContextTokens, run } = plan;
  if (instructions === undefined && maxContextTokens === undefined) return messages;
  const configured = systemMessages(prompt).length;
  const system = systemMessages({ ...prompt, ...(instructions !== undefined && { instructions }) });
  const conversation = [...system, ...messages.slice(configured)];
  if (maxContextTokens === undefined) return conversation;
  const inputIndex = plan.messages.length - 1 - configured + system.length;
  const limits = { systemCount: system.length, inputIndex, maxContextTokens, tools: tools.specs };
  const fitted = fitContext(conversation, limits);
  if (fitted.isOver && !state.hasWarned) {
    state.hasWarned = true;
    const kept = "The system prompt, the tools, the input and the newest step of the run";
    run.warn("context_exceeded", `${kept} exceed maxContextTokens by estimate. They are sent all the same.`, {
      maxContextTokens,
    });
  }
  return fitted.messages;
}
