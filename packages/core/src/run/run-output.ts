import { TroupeError } from "../errors/troupe-error.ts";
import type { ErrorCode, TroupeErrorOptions } from "../errors/troupe-error.ts";
import type { ChatMessage } from "../message/message.ts";
import type { TokenUsage } from "../message/token-usage.ts";
import type { ToolCallResult } from "../message/tool-call.ts";

/** What a run measured. */
export type RunMetrics = {
  inputTokens: number;
  outputTokens: number;
  totalTokens: number;
  timeToFirstTokenMs?: number;
  durationMs?: number;
};

/** The result of a run; of a failed run, what there was until then. */
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

/** A failed run, with its text and usage until then. */
export class RunError extends TroupeError {
  readonly output: RunOutput;

  constructor(code: ErrorCode, message: string, options: TroupeErrorOptions & { output: RunOutput }) {
    super(code, message, options);
    this.output = options.output;
  }
}

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
