import type { RunOutput } from "./run-output.ts";

/** What of a run's output a client may see: everything but the conversation and who it was. */
export type PublicOutput = Omit<RunOutput, "messages" | "userId" | "responseId"> & {
  structured: unknown;
};

const shownWhenPresent = [
  "thinking",
  "durationMs",
  "timeToFirstTokenMs",
  "runId",
  "sessionId",
  "agentName",
  "model",
  "modelProvider",
  "status",
  "createdAt",
  "metrics",
] as const satisfies (keyof RunOutput)[];

/** The answer of a run over a wire: `structured` is `null` when unused, and the messages stay here. */
export function toPublicOutput(output: RunOutput): PublicOutput {
  const shown: Partial<Record<keyof RunOutput, unknown>> = {
    text: output.text,
    toolCalls: output.toolCalls,
    usage: output.usage,
    structured: output.structured ?? null,
  };
  for (const field of shownWhenPresent) {
    if (output[field] !== undefined) shown[field] = output[field];
  }
  return shown as PublicOutput;
}
