import { TroupeError } from "../errors/troupe-error.ts";
import { getTextContent } from "../message/content.ts";
import type { MessageContent } from "../message/content.ts";
import type { StreamChunk } from "../model/stream-chunk.ts";
import { countForeignUsage } from "../run/count-foreign-usage.ts";
import type { RunOutput } from "../run/run-output.ts";
import type { Runnable } from "../run/runnable.ts";
import type { UsageMeter } from "../run/usage-meter.ts";
import { memberSessionId } from "../session/session-id.ts";
import { readProperty } from "../util/read-property.ts";
import type { Step } from "./step.ts";
import { copyState } from "./state-form.ts";
import type { StateRecord } from "./state-form.ts";
import type { StepContext } from "./workflow-step.ts";

/** What an agent is asked. */
export type Question = {
  readonly agent: Runnable;
  readonly input: MessageContent;
  readonly name: string;
  readonly context: StepContext;
  /** Counts what the child run uses. */
  readonly meter: UsageMeter;
  /** Takes what the agent streams; without one it does not stream. */
  readonly relay: ((chunk: StreamChunk) => Promise<void>) | undefined;
};

/** The input of an agent step: what `inputFrom` makes of the state, else the last text. */
export function inputOf(
  { inputFrom }: Extract<Step, { kind: "agent" }>,
  found: { readonly state: StateRecord; readonly said: MessageContent },
): MessageContent {
  if (inputFrom === undefined) return requireInput(found.said);
  const input: unknown = inputFrom(copyState(found.state));
  if (typeof input === "string" && input.trim() !== "") return input;
  throw new TroupeError("invalid_value", "inputFrom must return a text that is not empty.");
}

/** Asks an agent as a part of the run; what it is billed counts whether it answers or not. */
export async function askAgent(question: Question): Promise<RunOutput> {
  const { meter } = question;
  try {
    const output = await ask(question);
    countForeignUsage(meter, output);
    return output;
  } catch (error) {
    countForeignUsage(meter, readProperty(error, "output"));
    throw error;
  }
}

/** What an agent had said when it failed. */
export function textUntil(error: unknown): string {
  const text = readProperty(readProperty(error, "output"), "text");
  return typeof text === "string" ? text : "";
}

async function ask({ agent, input, name, context, relay }: Question): Promise<RunOutput> {
  const { sessionId, signal } = context;
  const opts = { parent: context, signal, sessionId: memberSessionId(sessionId, name) };
  if (relay === undefined) return await agent.run(input, opts);
  const stream = agent.stream(input, opts);
  for await (const chunk of stream) await relay(chunk);
  return await stream.output;
}

function requireInput(said: MessageContent): MessageContent {
  if (typeof said !== "string" || getTextContent(said).trim() !== "") return said;
  throw new TroupeError(
    "invalid_request",
    "there is nothing to ask its agent: run the workflow with an input, or give the step inputFrom.",
  );
}
