import { TroupeError } from "../errors/troupe-error.ts";
import type { ErrorCode, TroupeErrorOptions } from "../errors/troupe-error.ts";
import type { ChatMessage } from "../message/message.ts";
import type { TokenUsage } from "../message/token-usage.ts";
import type { ToolCallResult } from "../message/tool-call.ts";

/** Measurements of a run. */
export type RunMetrics = {
  inputTokens: number;
  outputTokens: number;
  totalTokens: number;
  timeToFirstTokenMs?: number;
  durationMs?: number;
};

/** The output of a run; of a failed run, the output until then. */
export type RunOutput<Structured = unknown> = {
  text: string;
  toolCalls: ToolCallResult[];
  usage: TokenUsage;
  /** The checked value when structured output is used, else `null`. */
  structured?: Structured | null;
  thinking?: string;
  durationMs?: number;
  timeToFirstTokenMs?: number;
  runId?: string;
  agentName?: string;
  sessionId?: string;
  userId?: string;
  model?: string;
  modelProvider?: string;
  status?: "completed" | "error";
  /** Epoch milliseconds. */
  createdAt?: number;
  responseId?: string;
  messages?: ChatMessage[];
  metrics?: RunMetrics;
};

/** The error of a failed run, with its output until then. */
export class RunError extends TroupeError {
  readonly output: RunOutput;

  constructor(code: ErrorCode, message: string, options: TroupeErrorOptions & { output: RunOutput }) {
    super(code, message, options);
    this.output = options.output;
  }
}

/** The part of a run's output that a client may see: all but the messages, the user and the vendor's response id. */
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

/** Returns the output as it goes over the wire: `structured` is `null` when unused, and there are no messages. */
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
