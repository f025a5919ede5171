import { TroupeError } from "../../base/errors/troupe-error.ts";
import type { MessageContent } from "../../base/message/content.ts";
import type { StreamChunk } from "../run/stream-chunk.ts";
import { runOf, telemetryOf } from "../run/derive-context.ts";
import { countUnmeteredUsage } from "../run/usage-meter.ts";
import type { RunOutput } from "../run/run-output.ts";
import type { UsageMeter } from "../run/usage-meter.ts";
import { memberSessionId } from "../../sessions/session/session-id.ts";
import { readProperty } from "../../base/util/read-property.ts";
import { copyState } from "./state-shape.ts";
import type { StateRecord } from "./state-shape.ts";
import type { CheckedStepOf } from "./steps.ts";
import type { StepContext } from "./workflow-step.ts";

/**
 * Parameters of `runAgentStep`: the step, the agent's input, and the context, meter and chunk receiver of the child
 * run.
 */
export type AgentStepRequest = {
  readonly step: CheckedStepOf<"agent">;
  readonly input: MessageContent;
  readonly context: StepContext;
  /** Counts the usage of the child run. */
  readonly meter: UsageMeter;
  /** Receives the agent's chunks. Without it the agent does not stream. */
  readonly onChunk: ((chunk: StreamChunk) => Promise<void>) | undefined;
};

/**
 * Returns the input of an agent step: the result of `inputFrom`. Without that function it is the last agent answer,
 * else the text input of the run, else the state as JSON.
 */
export function agentStepInput(
  { inputFrom }: CheckedStepOf<"agent">,
  { state, message }: { readonly state: StateRecord; readonly message: MessageContent | undefined },
): MessageContent {
  if (inputFrom !== undefined) return requireText(inputFrom(copyState(state)));
  const isEmpty = message === undefined || (typeof message === "string" && message.trim() === "");
  return isEmpty ? JSON.stringify(state) : message;
}

/** Runs the agent of a step as a child run. Its usage counts even if it fails. */
export async function runAgentStep(stepRun: AgentStepRequest): Promise<RunOutput> {
  const { meter } = stepRun;
  try {
    const output = await startAgent(stepRun);
    countUnmeteredUsage(meter, output, telemetryOf(stepRun.context));
    const run = runOf(stepRun.context);
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

async function startAgent({ step, input, context, onChunk }: AgentStepRequest): Promise<RunOutput> {
  const { signal } = context;
  const { agent, name } = step;
  const settings = runOf(context)?.settings;
  const modelOptions = settings?.modelOptions;
  // The session in the context is the caller's. A workflow within a team has another session.
  const ownSession = memberSessionId(settings?.sessionId ?? context.sessionId, name);
  const opts = { parent: context, signal, sessionId: ownSession, ...(modelOptions !== undefined && { modelOptions }) };
  if (onChunk === undefined) return await agent.run(input, opts);
  const stream = agent.stream(input, opts);
  for await (const chunk of stream) await onChunk(chunk);
  return await stream.output;
}

function requireText(input: unknown): string {
  if (typeof input === "string" && input.trim() !== "") return input;
  throw new TroupeError("invalid_value", "inputFrom must return a string that is not empty.");
}
