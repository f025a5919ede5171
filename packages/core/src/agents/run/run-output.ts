import { WrapperError } from "../../base/errors/wrapper-error.ts";
import type { ErrorCode, TroupeErrorOptions } from "../../base/errors/troupe-error.ts";
import type { ChatMessage } from "../../base/message/message.ts";
import type { Source } from "../../base/message/source.ts";
import type { TokenUsage } from "../../base/message/token-usage.ts";
import type { ToolArtifact, ToolCallResult } from "../../base/message/tool-call.ts";

/** Token counts of a run, and its times in milliseconds. */
export type RunMetrics = {
  inputTokens: number;
  outputTokens: number;
  totalTokens: number;
  timeToFirstTokenMs?: number;
  durationMs?: number;
};

/**
 * The result of a run of an agent without structured output, and the fields that every result has: its answer, tool calls,
 * usage, ids and times.
 */
export type PlainRunOutput = {
  text: string;
  toolCalls: ToolCallResult[];
  usage: TokenUsage;
  runId: string;
  sessionId: string;
  status: "completed" | "error";
  durationMs: number;
  thinking?: string;
  timeToFirstTokenMs?: number;
  agentName?: string;
  userId?: string;
  model?: string;
  modelProvider?: string;
  /** Epoch milliseconds. */
  createdAt?: number;
  responseId?: string;
  messages?: ChatMessage[];
  /** The artifacts of all tool calls, in their order; absent when there are none. */
  artifacts?: ToolArtifact[];
  /** The sources of the answer, from all model calls of the run, each once; absent when there are none. */
  sources?: Source[];
  metrics?: RunMetrics;
  /** False when the turn of the answer could not be stored: see the option `onStorageFailure`. Absent otherwise. */
  stored?: false;
};

/**
 * The result of a run of an agent, a team or a workflow; of a failed run, these until the failure. An agent with a schema
 * has the checked value in `structured`, and where structured output is not used it is null.
 */
export type CompleteRunOutput<Structured = unknown> = PlainRunOutput & { structured?: Structured | null };

/** The fields that the result of every runnable has. */
type RequiredField = "text" | "toolCalls" | "usage";

/**
 * The result of a run of any runnable. One that you write yourself returns `text`, `toolCalls` and `usage`, and of the rest
 * what it has; the results of agents, teams and workflows are complete.
 */
export type RunOutput<Structured = unknown> = Pick<PlainRunOutput, RequiredField> & {
  [Field in Exclude<keyof PlainRunOutput, RequiredField>]?: PlainRunOutput[Field] | undefined;
} & { structured?: Structured | null | undefined };

/** The result of a run with structured output. */
export type StructuredRunOutput<Structured> = PlainRunOutput & { structured: Structured };

/**
 * The error with which a failed or cancelled run rejects, with the run's output until then. Its `cause` is the original
 * error. Serializers and `console.log` leave the output out, since it holds the conversation.
 */
export class RunError extends WrapperError {
  declare readonly output: CompleteRunOutput;

  constructor(code: ErrorCode, message: string, options: TroupeErrorOptions & { output: CompleteRunOutput }) {
    super(code, message, options);
    Object.defineProperty(this, "output", { value: options.output });
  }

  override toJSON(): object {
    return { ...super.toJSON(), runId: this.output.runId };
  }
}

/** The part of a run's output that a client may see: all but the messages, the user and the vendor's response id. */
export type PublicOutput = Pick<RunOutput, "text" | "toolCalls" | "usage"> &
  Partial<Omit<RunOutput, "messages" | "userId" | "responseId">> & { structured: unknown };

const shownWhenPresent = [
  "thinking",
  "artifacts",
  "sources",
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
  "stored",
] as const satisfies (keyof RunOutput)[];

/** Of a call that failed, clients see `error` alone: the model's text may hold that of an exception. */
function toPublicToolCall(call: ToolCallResult): ToolCallResult {
  return call.error === undefined ? call : { ...call, result: call.error };
}

/**
 * Returns the part of a run's output that a server sends to its client: without messages, user and response id, with
 * `null` as `structured` when structured output is not used, and without what a failed tool told the model.
 */
export function toPublicOutput(
  output: Pick<RunOutput, "text" | "toolCalls" | "usage"> & Partial<RunOutput>,
): PublicOutput {
  const shown: Partial<Record<keyof RunOutput, unknown>> = {
    text: output.text,
    toolCalls: output.toolCalls.map(toPublicToolCall),
    usage: output.usage,
    structured: output.structured ?? null,
  };
  for (const field of shownWhenPresent) {
    if (output[field] !== undefined) shown[field] = output[field];
  }
  return shown as PublicOutput;
}
