import { WrapperError } from "../../base/errors/wrapper-error.ts";
import type { ErrorCode, TroupeErrorOptions } from "../../base/errors/troupe-error.ts";
import type { ChatMessage } from "../../base/message/message.ts";
import type { Source } from "../../base/message/source.ts";
import type { TokenUsage } from "../../base/message/token-usage.ts";
import type { ToolArtifact, ToolCallResult } from "../../base/message/tool-call.ts";
import type { FinishReason } from "../../model/model-chunk.ts";

/** Token counts of a run, and its times in milliseconds. */
export type RunMetrics = {
  inputTokens: number;
  outputTokens: number;
  totalTokens: number;
  timeToFirstTokenMs?: number;
  durationMs?: number;
};

/**
 * The result of an agent's run without structured output, with the fields that every result has: answer, tool calls,
 * usage, ids and times.
 */
export type UnstructuredRunOutput = {
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
  /** Epoch milliseconds at which the run started. */
  createdAt?: number;
  responseId?: string;
  messages?: ChatMessage[];
  /** The artifacts of all tool calls, in order; absent if there are none. */
  artifacts?: ToolArtifact[];
  /** The sources of the answer, from all model calls of the run, without duplicates; absent if there are none. */
  sources?: Source[];
  metrics?: RunMetrics;
  /** The reason why the model ended its answer early, such as `length`; absent for a whole answer. */
  finishReason?: Exclude<FinishReason, "stop">;
  /** False if the turn of the answer could not be stored: see the option `onStorageFailure`. Absent otherwise. */
  stored?: false;
};

/**
 * The result of a run of an agent, a team or a workflow; for a failed run, the result up to the failure. `structured`
 * is the checked value of an agent with a schema, or the state of a workflow; without structured output it is null.
 */
export type CompleteRunOutput<Structured = unknown> = UnstructuredRunOutput & { structured?: Structured | null };

/** The fields that the result of every runnable has. */
type RequiredField = "text" | "toolCalls" | "usage";

/**
 * The result of a run of any runnable. A runnable that you write yourself returns `text`, `toolCalls` and `usage`, and
 * may omit the rest. The results of agents, teams and workflows are complete.
 */
export type RunOutput<Structured = unknown> = Pick<UnstructuredRunOutput, RequiredField> & {
  [Field in Exclude<keyof UnstructuredRunOutput, RequiredField>]?: UnstructuredRunOutput[Field] | undefined;
} & { structured?: Structured | null | undefined };

/** The result of a run with structured output. */
export type StructuredRunOutput<Structured> = UnstructuredRunOutput & { structured: Structured };

/**
 * The error with which a failed or cancelled run rejects. It holds the run's output up to that point; its `cause` is
 * the original error. Serializers and `console.log` omit the output, because it contains the conversation.
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

/**
 * The part of a run's output that a client may see: everything except the messages, the user and the vendor's response
 * id.
 */
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
  "finishReason",
  "stored",
] as const satisfies (keyof RunOutput)[];

/**
 * Returns the public form of a tool call. For a failed call clients see only `error`, because the model's text may
 * quote an exception.
 */
function toPublicToolCall(call: ToolCallResult): ToolCallResult {
  return call.error === undefined ? call : { ...call, result: call.error };
}

/**
 * Returns the part of a run's output that a server sends to its client: without messages, user and response id.
 * `structured` is `null` if structured output is not used, and the model's text about a failed tool is omitted.
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
