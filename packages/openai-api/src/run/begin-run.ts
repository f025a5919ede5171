import { getTextContent } from "@troupe/core";
import type { ChatMessage, Json, MessageContent, ModelSettings, RunAdditions, Runnable } from "@troupe/core";
import type { ServedWorkflow } from "@troupe/core/service";
import { readMessage, readWorkflowInput } from "@troupe/core/transport";
import type { Exchange, FailedRun, RequestedRun, ProtocolRunOptions, ServedRun } from "@troupe/core/transport";
import type { ServedModel } from "../models/served-models.ts";
import type { ReadFormat, ReadTools } from "../request/additions.ts";
import { wrongField } from "../wire/api-error.ts";
import type { ApiParts } from "./api-parts.ts";

/** The run that a request asks for. */
export type RunPlan = {
  readonly model: ServedModel;
  readonly input: MessageContent;
  readonly sessionId: string | undefined;
  readonly messages: readonly ChatMessage[];
  readonly isUnstored: boolean;
  /** The turn of the session after which the run continues. */
  readonly continueFrom?: RequestedRun<unknown, unknown>["opts"]["continueFrom"];
  readonly instructions: string | undefined;
  readonly tools: ReadTools;
  readonly format: ReadFormat;
  /** The field of the request that has the format of the answer. */
  readonly formatParam: string;
  readonly maxTokens: number | undefined;
  /** The client's own name for its user. It does not identify the caller. */
  readonly user: string | undefined;
  /** True for a run that its client can read later. */
  readonly isStored: boolean;
  readonly endsWithClient: boolean | undefined;
  readonly note?: Json | undefined;
};

/** A run that has begun, and the facts that are logged if it fails. */
export type BegunRun = { readonly run: ServedRun; readonly own: FailedRun };

type Subject = Runnable | ServedWorkflow;

/**
 * Begins the run of a request, and sends its ids as headers. If the client disconnects, the run is cancelled, unless
 * it outlives its connection.
 */
export async function beginRun(exchange: Exchange, parts: ApiParts, plan: RunPlan): Promise<BegunRun> {
  const { service } = parts;
  const { model, input, messages, sessionId } = plan;
  exchange.record.name = model.name;
  const isWorkflow = model.kind === "workflow";
  const readFields = () => ({
    input: isWorkflow ? getTextContent(input) : input,
    sessionId,
    ...(messages.length > 0 && !isWorkflow && { messages }),
  });
  const readInput: (input: unknown, where: string) => unknown = isWorkflow ? readWorkflowInput : readMessage;
  const read = await service.readRun<Subject, unknown>(exchange, model.subject, { readInput, readFields });
  const requested = { ...read, opts: { ...read.opts, ...optionsOf(plan, read.opts) } };
  service.closeIfDraining(exchange);
  const { kind, name } = model;
  const { endsWithClient, note } = plan;
  const terms: ProtocolRunOptions = { kind, name, endsWithClient, note, ...(plan.isStored && { isStored: true }) };
  const beginning = service.servedRuns.begin(requested, terms);
  exchange.record.run = beginning;
  const run = await beginning;
  showIds(exchange, run);
  return { run, own: { ...requested.opts, runId: run.runId } };
}

/** Sends the ids of a run as headers. */
export function showIds(exchange: Exchange, { runId, sessionId }: Pick<ServedRun, "runId" | "sessionId">): void {
  exchange.record.runId = runId;
  exchange.setHeader("X-Run-Id", runId).setHeader("X-Session-Id", sessionId);
}

type Options = RequestedRun<unknown, unknown>["opts"];

function optionsOf(plan: RunPlan, { metadata, modelOptions }: Options): Partial<Options> {
  const { model, user, isUnstored, continueFrom } = plan;
  const about = user === undefined ? {} : { metadata: { user, ...metadata } };
  if (model.kind === "workflow") {
    checkWorkflowPlan(plan);
    return about;
  }
  const additions = additionsOf(plan);
  const settings = settingsOf(plan);
  return {
    ...about,
    ...(additions !== undefined && { additions }),
    ...(settings !== undefined && { modelOptions: { ...modelOptions, ...settings } }),
    ...(isUnstored && { isUnstored }),
    ...(continueFrom !== undefined && { continueFrom }),
  };
}

/** Throws `invalid_request` for what a client would rely on and a workflow does not do. */
function checkWorkflowPlan({ tools, format, formatParam }: RunPlan): void {
  const problem = "must be left out: a workflow";
  if (tools.clientTools.length > 0) throw wrongField("tools", `${problem} takes no tools.`);
  if (Object.keys(format).length > 0)
    throw wrongField(formatParam, `${problem} has a form of its own for its answers.`);
}

function additionsOf({ instructions, tools, format, maxTokens }: RunPlan): RunAdditions | undefined {
  const { clientTools } = tools;
  const { outputSchema } = format;
  const additions = {
    ...(instructions !== undefined && instructions !== "" && { instructions }),
    ...(clientTools.length > 0 && { clientTools }),
    ...(outputSchema !== undefined && { outputSchema }),
    ...(maxTokens !== undefined && { maxTokens }),
  };
  return Object.keys(additions).length === 0 ? undefined : additions;
}

function settingsOf({ model, tools, format, formatParam }: RunPlan): ModelSettings | undefined {
  const { responseFormat, outputSchema } = format;
  const isFormed = responseFormat !== undefined || outputSchema !== undefined;
  const { hasStructuredOutput } = model.subject as { readonly hasStructuredOutput?: boolean };
  if (isFormed && hasStructuredOutput === true) {
    throw wrongField(formatParam, "must be left out: the agent has a form of its own for its answers.");
  }
  const { toolChoice } = tools;
  if (toolChoice === undefined && responseFormat === undefined) return undefined;
  return { ...(toolChoice !== undefined && { toolChoice }), ...(responseFormat !== undefined && { responseFormat }) };
}

/** The fields of a tool that decide whether its calls may wait for the client. */
type AnyTool = { readonly name: string; readonly needsApproval?: unknown; readonly execute?: unknown };

/**
 * Returns the names of the tools whose calls may wait: tools that need an approval, and tools that the client executes.
 */
export function waitingTools({ subject }: ServedModel): { approvals: Set<string>; inputs: Set<string> } {
  const { tools = [] } = subject as { readonly tools?: readonly AnyTool[] };
  const needsApproval = ({ needsApproval: needed }: AnyTool) => needed !== undefined && needed !== false;
  return {
    approvals: new Set(tools.filter(needsApproval).map(({ name }) => name)),
    inputs: new Set(tools.filter(({ execute }) => execute === undefined).map(({ name }) => name)),
  };
}
