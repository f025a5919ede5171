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
