import { TroupeError } from "../../base/errors/troupe-error.ts";
import type { MessageContent } from "../../base/message/content.ts";
import type { StreamChunk } from "../run/stream-chunk.ts";
import { runOfContext, telemetryOf } from "../run/derive-context.ts";
import { countUnmeteredUsage } from "../run/usage-meter.ts";
import type { RunOutput } from "../run/run-output.ts";
import type { UsageMeter } from "../run/usage-meter.ts";
import { encodeKey } from "../../sessions/storage/encode-key.ts";
import { isRecord } from "../../base/util/is-record.ts";
import { memberSessionId } from "../../sessions/session/session-id.ts";
import { readProperty } from "../../base/util/read-property.ts";
import { copyState } from "./state-shape.ts";
import type { StateRecord } from "./state-shape.ts";
import type { Runnable } from "../run/runnable.ts";
import type { CheckedAgentStep, CheckedStepOf } from "./checked-step.ts";
import type { StepContext } from "./workflow-step.ts";

/**
 * Parameters of `runAgentStep`: the agent, the name of its session, its input, and the context, meter and chunk
 * receiver of the child run.
 */
export type AgentStepRequest = {
  readonly agent: Runnable;
  /** The step's name; in a repeated step its path, so that rounds and items do not share a conversation. */
  readonly session: string;
  readonly input: MessageContent;
  readonly context: StepContext;
  /** Counts the usage of the child run. */
  readonly meter: UsageMeter;
  /** Receives the agent's chunks. Without it the agent does not stream. */
  readonly onChunk: ((chunk: StreamChunk) => Promise<void>) | undefined;
};

/**
 * Returns the input of an agent step: the result of `inputFrom`. Without `inputFrom`, it is the last agent answer;
 * before the first answer, the text input of the run; without text input, the state as JSON.
 */
export function agentStepInput(
  { inputFrom }: CheckedAgentStep,
  { state, message }: { readonly state: StateRecord; readonly message: MessageContent | undefined },
): MessageContent {
  if (inputFrom !== undefined) return requireText(inputFrom(copyState(state)));
  return defaultInput(state, message);
}

/** Returns the input of a workflow step: text, or an object with keys of the inner workflow's state. */
export function workflowStepInput(
  { inputFrom }: CheckedStepOf<"workflow">,
  { state, message }: { readonly state: StateRecord; readonly message: MessageContent | undefined },
): MessageContent {
  if (inputFrom === undefined) return defaultInput(state, message);
  const input = inputFrom(copyState(state));
  // The runnable of a workflow also accepts an object, although the type `Runnable` does not include it.
  return isRecord(input) ? (input as unknown as MessageContent) : requireText(input);
}

function defaultInput(state: StateRecord, message: MessageContent | undefined): MessageContent {
  const isEmpty = message === undefined || (typeof message === "string" && message.trim() === "");
  return isEmpty ? JSON.stringify(state) : message;
}

/** Runs the agent of a step as a child run. Its usage counts even if it fails. */
export async function runAgentStep(stepRun: AgentStepRequest): Promise<RunOutput> {
  const { meter } = stepRun;
  try {
    const output = await startAgent(stepRun);
    countUnmeteredUsage(meter, output, telemetryOf(stepRun.context));
    const run = runOfContext(stepRun.context);
    run?.addSources(output.sources);
    if (run !== undefined && output.stored === false) run.isStored = false;
    return output;
  } catch (error) {
    countUnmeteredUsage(meter, readProperty(error, "output"), telemetryOf(stepRun.context));
    throw error;
  }
}

/** Returns the text that an agent had produced when it failed, or an empty string. */
export function textOfFailedRun(error: unknown): string {
  const text = readProperty(readProperty(error, "output"), "text");
  return typeof text === "string" ? text : "";
}

async function startAgent({ agent, session, input, context, onChunk }: AgentStepRequest): Promise<RunOutput> {
  const { signal } = context;
  const settings = runOfContext(context)?.settings;
  const modelOptions = settings?.modelOptions;
  // The context contains the session of the caller. A workflow that is a member of a team runs in its own session,
  // whose id is only in the run's settings.
  const ownSession = memberSessionId(settings?.sessionId ?? context.sessionId, shorten(session));
  const opts = { parent: context, signal, sessionId: ownSession, ...(modelOptions !== undefined && { modelOptions }) };
  if (onChunk === undefined) return await agent.run(input, opts);
  const stream = agent.stream(input, opts);
  for await (const chunk of stream) await onChunk(chunk);
  return await stream.output;
}

/** The maximum length of an encoded path in a session id. The name of a step never exceeds it. */
const longestEncoded = 384;

/** Returns the path of a step, or a hash of a path that is too long for a session's id. */
function shorten(path: string): string {
  if (encodeKey(path).length <= longestEncoded) return path;
  return process.getBuiltinModule("node:crypto").hash("sha256", path);
}

function requireText(input: unknown): string {
  if (typeof input === "string" && input.trim() !== "") return input;
  throw new TroupeError("invalid_value", "inputFrom must return a string that is not empty.");
}
